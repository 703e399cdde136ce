// SPDX-License-Identifier: MIT
// Processes that share one processor.
#include "run/side_by_side.hpp"

#include "made_recording.hpp"
#include "replay/replays.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <sched.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace toft::lab;

namespace {

cpu_set_t allowed() {
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    return all;
}

// The number of the one processor on which a child may run; -1: there are several.
int only_processor_of_a_child() {
    const pid_t child = fork();
    if (child == 0) {
        const cpu_set_t all = allowed();
        for (int i = 0; i != 255; ++i)
            if (CPU_COUNT(&all) == 1 && CPU_ISSET(static_cast<unsigned>(i), &all)) _exit(i);
        _exit(255);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

suite_result rounds_of(replay_settings s, const compiled_recording &recorded) {
    for (const char *name : {"glibc", "the same again"}) s.allocators.push_back({name, {}, {}, {}});
    s.with_start = true;
    s.program.words = {"true"};
    s.models.clear();
    const compiled_recordings programs{recorded};
    bench_result result = plan(s, programs);
    progress quiet(nullptr);
    carry_out(result, s, programs, quiet);
    return result.suites.front();
}

} // namespace

TEST_SUITE("side by side") {
    TEST_CASE("the processes stay on one processor, and the caller where it was") {
        const cpu_set_t before = allowed();
        std::vector<int> processors(5, -1);
        std::vector<std::function<void()>> jobs;
        for (int &p : processors) jobs.emplace_back([&p] { p = only_processor_of_a_child(); });
        run_side_by_side(jobs);
        CHECK(processors.front() >= 0);
        CHECK(std::count(processors.begin(), processors.end(), processors.front()) == 5);
        const cpu_set_t after = allowed();
        CHECK(CPU_EQUAL(&before, &after) != 0);
    }

    TEST_CASE("who looks at a process leaves the processor to it, where there are others") {
        const cpu_set_t before = allowed();
        cpu_set_t looking = before;
        int processor = -1;
        run_side_by_side({[&] {
            processor = only_processor_of_a_child();
            leave_the_processor();
            looking = allowed();
        }});
        REQUIRE(processor >= 0);
        const bool has_left = !CPU_ISSET(static_cast<unsigned>(processor), &looking);
        CHECK(has_left == (CPU_COUNT(&before) > 1));
        CHECK(CPU_COUNT(&looking) == std::max(CPU_COUNT(&before) - 1, 1));
        leave_the_processor(); // the caller has none to leave
        const cpu_set_t after = allowed();
        CHECK(CPU_EQUAL(&before, &after) != 0);
    }

    TEST_CASE("they run at once: each waits for the others") {
        std::atomic<int> there = 0;
        const auto meet = [&there] {
            ++there;
            while (there != 3) sched_yield(); // for ever, one by one
        };
        run_side_by_side({meet, meet, meet});
        CHECK(there == 3);
        run_side_by_side({});
    }

    TEST_CASE("a job that fails is told when all have ended") {
        std::atomic<int> ended = 0;
        const auto fail = [] { throw std::runtime_error("no process"); };
        const auto end = [&ended] { ++ended; };
        CHECK_THROWS_WITH_AS(run_side_by_side({end, fail, end}), "no process", std::runtime_error);
        CHECK(ended == 2);
    }

    TEST_CASE("replays: every row has as many samples as rounds, at once or one by one") {
        for (const std::uint32_t threads : {1U, 3U}) {
            made_recording made;
            for (std::uint32_t t = 0; t != threads; ++t)
                made.allocate(t, 64 + t, 8).free(t, 64 + t);
            const compiled_recording recorded(made.made());
            CHECK(recorded.counts.threads == threads);
            replay_settings s;
            s.repetitions = 4;
            const suite_result done = rounds_of(s, recorded);
            REQUIRE(done.rows.size() == 3);
            for (const row &r : done.rows) {
                CAPTURE(r.title());
                CHECK(r.problem.empty());
                CHECK(r.samples.size() == 4);
            }
        }
    }
}
