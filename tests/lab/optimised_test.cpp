// SPDX-License-Identifier: MIT
// What a compiler inlines stays a function of the text: advice and verification find it there.
#include "command.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace {

// Built from one text, with -O0, -O2 and -O3.
const std::vector<std::string> programs = {TOFT_OPTIMISED_O0, TOFT_OPTIMISED_O2, TOFT_OPTIMISED_O3};

struct planted_way {
    std::string name, function; // with the arena
};
const std::vector<planted_way> ways = {{"loop", "serve"},
                                       {"between", "serve"},
                                       {"closes", "serve"},
                                       {"last-call", "serve_and_drop"},
                                       {"last-free", "serve_and_free"},
                                       {"part", "serve_if"}};

std::string recording_of(const std::string &program, const std::string &way) {
    const std::string path = scratch("optimised-" + way);
    const run_result made = run_toft("record -o '" + path + "' -- '" + program + "' " + way + " 0");
    REQUIRE(made.status == 0);
    return path;
}

// The seconds are made up, so that the advice doesn't depend on this machine.
std::string advice_for(const std::string &recording, const std::string &seconds = "0.01") {
    const run_result said =
        run_toft("advise --no-replay --cpu " + seconds + " '" + recording + "'");
    REQUIRE(said.status == 0);
    return unwrapped(said.out);
}

} // namespace

// A call in tail position takes the place of its caller's frame.
TEST_CASE("a function has its arena when it was inlined into main, and when a last call frees") {
    if (!tells_functions()) return;
    for (const planted_way &planted : ways) {
        const std::string &way = planted.name, &function = planted.function;
        for (const std::string &program : programs) {
            CAPTURE(way);
            CAPTURE(program);
            const std::string all = advice_for(recording_of(program, way));
            CAPTURE(all);
            const std::string objects = way == "part" ? "20,100 objects" : "20,000 objects";
            CHECK(contains(all,
                           "1. An arena in " + function + " (optimised_target.c) for " + objects));
            CHECK(contains(all, "make_node (optimised_target.c:27): 20,000 of 24 bytes"));
            const std::string times = way == "part" ? "200 times" : "100 times";
            CHECK(contains(all, "This happens " + times + ", with up to 200 objects at a time."));
            CHECK(contains(all, "No object was seen to outlive it, but calls"));
        }
    }
}

TEST_CASE("what outlives a call that was inlined into another call of its function is told") {
    if (!tells_functions()) return;
    for (const std::string &program : programs) {
        CAPTURE(program);
        const std::string all = advice_for(recording_of(program, "recursion"), "0.001");
        CAPTURE(all);
        CHECK(contains(all, "n arena in parse_and_drop (optimised_target.c) for 3,100 objects"));
        CHECK(contains(all, "n the stack in parse (optimised_target.c) for 3,100 objects"));
        CHECK(contains(all, "3,100 objects made there live longer: keep them out of it."));
        CHECK(contains(all, "make_node (optimised_target.c:27): 3,100 of 3,100, freed by drop"));
    }
}

TEST_CASE("a program without debug information is told what that hides") {
    if (!tells_functions()) return;
    const std::string stripped = scratch("stripped");
    REQUIRE(run_shell("strip -o '" + stripped + "' '" + programs.front() + "'").status == 0);
    const std::string with = advice_for(recording_of(programs.front(), "loop"));
    const std::string without = advice_for(recording_of(stripped, "loop"));
    CHECK(!contains(with, "no debug information"));
    CHECK(contains(without, "The program has no debug information here"));
    CHECK(contains(without, "or install its debug symbols, such as Debian's PACKAGE-dbgsym."));
}

TEST_CASE("main has its name in a program that was stripped of names") {
    if (!tells_functions()) return;
    const std::string stripped = scratch("no-names");
    REQUIRE(run_shell("strip -o '" + stripped + "' '" TOFT_OPTIMISED_O2 "'").status == 0);
    const std::string all = advice_for(recording_of(stripped, "loop"));
    CAPTURE(all);
    CHECK(contains(all, "as they are, in main")); // where `serve` was inlined
    CHECK_FALSE(contains(all, "no-names+"));
}

TEST_CASE("what the last call of a last call makes is told to live longer") {
    if (!tells_functions()) return;
    const std::vector<planted_way> makers = {{"last-make", "serve_and_make (optimised_target.c)"},
                                             {"library", "serve_in_library (optimised_library.c)"}};
    for (const planted_way &planted : makers) {
        for (const std::string &program : programs) {
            CAPTURE(planted.name);
            CAPTURE(program);
            const std::string all = advice_for(recording_of(program, planted.name));
            CAPTURE(all);
            CHECK(contains(all, "An arena in " + planted.function + " for 20,000 objects"));
            CHECK(contains(all, "20,000 objects made there live longer: keep them out of it."));
        }
    }
}

TEST_CASE("calls that follow each other in one copy can't be told apart, and it is said") {
    if (!tells_functions()) return;
    const std::string program = TOFT_OPTIMISED_O2, recording = recording_of(program, "loop");
    const run_result run =
        run_toft("verify --cpu 0.01 --advice 1 '" + recording + "' -- '" + program + "' loop 0");
    CHECK(run.status == 1);
    CHECK(contains(unwrapped(run.err), "advice 1 wasn't verified: serve was inlined"));
}

TEST_CASE("a use after the end of such a region is found") {
    if (!tells_functions()) return;
    for (const planted_way &planted : ways) {
        const std::string &way = planted.name, &function = planted.function;
        if (way == "loop" || way == "part") continue; // many regions, or too few
        for (const std::string &program : programs) {
            CAPTURE(way);
            CAPTURE(program);
            const std::string recording = recording_of(program, way);
            const auto verify = [&](const std::string &request) {
                return run_toft("verify --cpu 0.01 --advice 1 '" + recording + "' -- '" + program +
                                "' " + way + " " + request);
            };
            const run_result clean = verify("0");
            CAPTURE(clean.err);
            CHECK(clean.status == 0);
            CHECK(contains(unwrapped(clean.err), "20,000 objects were placed apart, 100 %"));
            CHECK(contains(unwrapped(clean.err), "100 regions began, 100 ended"));
            const run_result found = verify("50");
            CAPTURE(found.err);
            CHECK(found.status == 5);
            CHECK(contains(unwrapped(found.err), "byte 16 of an object of 24 bytes was read."));
            CHECK(contains(unwrapped(found.err), "The region, a call of " + function + ", "));
        }
    }
}
