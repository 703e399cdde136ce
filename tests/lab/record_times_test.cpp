// SPDX-License-Identifier: MIT
// What a recording knows of the CPU time that the program took, without the recorder.
#include "recorded_run.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

namespace {

using namespace toft::lab;

constexpr std::uint64_t work_ns = 100'000'000; // of one thread of the target

program_time time_of(const std::string &path) {
    const recording r = read_recording(path);
    REQUIRE(r.time.has_value());
    CHECK(r.time->least_ns <= r.time->most_ns);
    return *r.time;
}

// What the target says of its own time, alone and recorded, and what the recording says.
struct timed_twice {
    std::uint64_t alone_ns, with_ns;
    program_time time;
};

timed_twice run_twice(const std::string &words) {
    const run_result alone = run_shell("'" TOFT_RECORD_TARGET "' " + words);
    const recorded made = record(words);
    REQUIRE(made.run.status == 0);
    return {std::stoull(alone.out), std::stoull(made.run.out), time_of(made.path)};
}

} // namespace

TEST_CASE("toft record: the CPU time of all threads, whatever passed meanwhile") {
    const recorded made = record("works 3");
    REQUIRE(made.run.status == 0);
    const std::uint64_t told_ns = std::stoull(made.run.out);
    CHECK(told_ns >= 3 * work_ns);
    const program_time time = time_of(made.path);
    CHECK(time.most_ns <= told_ns);
    CHECK(time.least_ns >= 3 * work_ns * 9 / 10);
}

TEST_CASE("toft record: what recording takes isn't the program's time") {
    const timed_twice ran = run_twice("pairs 50");
    CAPTURE(ran.alone_ns);
    CAPTURE(ran.with_ns);
    CAPTURE(ran.time.most_ns);
    // Nothing but calls of the heap: recording takes several times as long as they do.
    CHECK(ran.time.most_ns < ran.with_ns / 2);
    constexpr std::uint64_t events = 50 * 2 * 20'000;
    CHECK(ran.time.least_ns >= std::min(ran.with_ns / 20, events * 5 / 2));
}

TEST_CASE("toft record: what it looks up anew after a library is unloaded isn't the program's") {
    const timed_twice ran = run_twice("unloads 200 '" TOFT_RECORD_LIBRARY_A "'");
    CAPTURE(ran.alone_ns);
    CAPTURE(ran.with_ns);
    CAPTURE(ran.time.most_ns);
    CHECK(ran.time.most_ns <
          ran.alone_ns + (ran.with_ns - std::min(ran.with_ns, ran.alone_ns)) * 2 / 5);
}

TEST_CASE("toft record: a process that is killed has said its time a moment before") {
    const recorded made = record("pairs_killed 100");
    CHECK(made.run.status == 128 + SIGKILL);
    CHECK(time_of(made.path).most_ns > 1'000'000);
    CHECK_FALSE(read_recording(made.path).incomplete.empty());
}

TEST_CASE("toft record: a child's time begins with it") {
    const recorded made = record("works_and_forks");
    REQUIRE(made.run.status == 0);
    CHECK(time_of(made.path).least_ns >= work_ns * 9 / 10);
    const std::filesystem::path file(made.path);
    unsigned children = 0;
    for (const auto &entry : std::filesystem::directory_iterator(file.parent_path())) {
        const std::string other = entry.path().string();
        if (!other.starts_with(made.path + ".")) continue;
        ++children;
        CHECK(time_of(other).most_ns < work_ns / 2);
    }
    CHECK(children == 1);
}
