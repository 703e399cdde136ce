// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "printed.hpp"
#include "verify/verify_text.hpp"

#include <csignal>
#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("toft verify names a place without a line by its file") {
    const symbol_source symbols = [](const recorded_module &, std::uint64_t address) {
        return std::vector<source_place>{{"serve", "/src/server.c", address == 1 ? 0U : 7U}};
    };
    use_after_end found;
    found.made.frames = {{{}, 1}};
    found.used.frames = {{{}, 2}};
    verified_run run;
    run.processes = run.placed = 1;
    run.findings = {found};
    const std::string text =
        printed_by([&](printer &out) { print_verified(run, advice(), symbols, out); });
    CHECK(contains(text, "serve (server.c)\n"));
    CHECK(contains(text, "serve (server.c:7)\n"));
}

TEST_CASE("toft verify doesn't call verified what it couldn't see") {
    verified_run run;
    run.processes = run.placed = run.begun = 1;
    run.other_exits = 1;
    const symbol_source none = [](const recorded_module &, std::uint64_t) {
        return std::vector<source_place>();
    };
    const auto said_of = [&](const advice &a) {
        return unwrapped(printed_by([&](printer &out) { print_verified(run, a, none, out); }));
    };
    const auto said = [&] { return said_of(advice()); };
    CHECK(!saw_enough(run, advice()));
    CHECK(contains(said(), "advice 0 wasn't verified: no end of a region was seen"));
    run.ended = 1; // by another exit
    CHECK(saw_enough(run, advice()));
    CHECK(contains(said(), "no object of advice 0 was used after its region's end"));
    run.ended_readable = 1;
    CHECK(!saw_enough(run, advice()));
    CHECK(contains(said(), "wasn't verified: not every region became unreadable at its end"));
    CHECK(contains(said(), "1 region stayed readable after the end"));
    run.ended_readable = 0;
    run.ended = run.other_exits = 0; // a call that lasts as long as the program
    CHECK(saw_enough(run, advice()));
    CHECK(contains(said(), "didn't return before the program's end"));
    run.wait_status = SIGTERM;
    CHECK(contains(said(), "used after its region's end until signal 15 ended the program."));
    run.wait_status = 0;
    run.processes = 0;
    CHECK(contains(said(), "no process called"));
    run.wait_status = SIGKILL;
    CHECK(contains(said(), "signal 9 ended the program before it came to"));
    run.processes = 1;
    advice of_fifty;
    of_fifty.objects = run.placed = 1000;
    of_fifty.lives = 50;
    run.inlined = true; // and one region
    CHECK(!saw_enough(run, of_fifty));
    CHECK(contains(said_of(of_fifty), "Give that one function __attribute__((noinline))"));
    run.placed = 20; // of a life; the region may still be many calls
    CHECK(!saw_enough(run, of_fifty));
    run.placed = 1000;
    run.begun = run.ended = 40;
    CHECK(saw_enough(run, of_fifty));
    CHECK(contains(said_of(of_fifty), "released at its end needs no reset")); // 40 calls, not one
    of_fifty.calls = 40;
    CHECK(contains(said_of(of_fifty), "some object was always alive: the arena couldn't be reset"));
    of_fifty.calls = 0;
    run.lives = 52;
    CHECK(contains(said_of(of_fifty),
                   "the objects had 52 lives, between which the arena can be reset; in what was "
                   "recorded, 50."));
    of_fifty.calls = 50;
    CHECK_FALSE(contains(said_of(of_fifty), "alive"));
}
