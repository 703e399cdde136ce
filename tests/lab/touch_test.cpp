// SPDX-License-Identifier: MIT
// Memory that is made ready before a run.
#include "run/progress.hpp"
#include "run/touch.hpp"
#include "run/trial.hpp"
#include "subject/resident_memory.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <sys/resource.h>

using namespace toft::lab;

namespace {

// The most that one of the children had which have ended.
std::uint64_t largest_child_bytes() {
    rusage of{};
    getrusage(RUSAGE_CHILDREN, &of);
    return static_cast<std::uint64_t>(of.ru_maxrss) * 1024;
}

} // namespace

TEST_CASE("a child touches the memory, so that this process's own peak stays") {
    const std::uint64_t bytes = highest_resident_bytes() + (64U << 20U);
    touch_memory(bytes);
    CHECK(highest_resident_bytes() < bytes);
    CHECK(largest_child_bytes() >= bytes);
}

TEST_CASE("toft try touches half as much again as a program needs, before each further run") {
    trial_settings s;
    s.of.words = {"python3", "-c", "b'1' * (200 << 20)"};
    s.allocators = {{"glibc", {}, "1", {}}, {"other", {}, "1", {}}};
    s.least_rounds = 1;
    s.max_seconds = 0;
    bench_result result = plan(s);
    progress quiet(nullptr);
    carry_out(result, s, quiet);
    for (const row &r : result.suites.front().rows) {
        CAPTURE(r.problem);
        REQUIRE(r.samples.size() == 1);
        CHECK(r.samples.front().peak_bytes > 200U << 20U);
        CHECK(r.samples.front().peak_bytes < 300U << 20U); // not that of what was touched
    }
    CHECK(largest_child_bytes() > 300U << 20U);
}
