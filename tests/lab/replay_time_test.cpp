// SPDX-License-Identifier: MIT
// How long replays go on.
#include "made_recording.hpp"
#include "replay/replays.hpp"

#include <doctest/doctest.h>
#include <utility>

using namespace toft::lab;

namespace {

// How many samples each row has when all is to end after a hundredth of a second, and each process
// takes longer than that. A process that does nothing stands for a replay, so its rows come first.
std::vector<std::size_t> samples_of_late_rows(double last_seconds) {
    replay_settings s;
    s.allocators.resize(3);
    for (int i = 0; allocator & a : s.allocators) a.name = "malloc " + std::to_string(++i);
    s.models.clear();
    s.with_start = true;
    s.program.words = {"sleep", "0.05"};
    s.repetitions = 5;
    s.end_seconds = .01;
    s.last_seconds = last_seconds;
    const compiled_recording recorded(made_recording{}.allocate(0, 1, 8).free(0, 1).made());
    const compiled_recordings programs{recorded};
    bench_result result = plan(s, programs);
    progress quiet(nullptr);
    carry_out(result, s, programs, quiet);
    std::vector<std::size_t> samples;
    for (const row &r : result.suites.front().rows) samples.push_back(r.samples.size());
    return samples;
}

} // namespace

TEST_CASE("replays: a late one goes on until each row of the first model is known") {
    CHECK(samples_of_late_rows(1000) == std::vector<std::size_t>{1, 1, 1, 0});
    std::vector<std::size_t> samples = samples_of_late_rows(0);
    CHECK(samples.front() <= 1); // it may have been cut
    samples.front() = 0;
    CHECK(samples == std::vector<std::size_t>{0, 0, 0, 0});
}
