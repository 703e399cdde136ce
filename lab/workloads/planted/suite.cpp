// SPDX-License-Identifier: MIT
// The suite `planted`: subjects that go wrong in the ways that the lab must notice. It isn't
// listed; the lab's tests run it.
#include "subject/registry.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace toft::lab {
namespace {

template <class T>
void escape(T *p) {
    asm volatile("" : : "r"(p) : "memory");
}

void allocate_and_free(session &run) {
    run.expect_heap_allocations(run.size());
    run.timed("work", 1, allocations(run.size()), [&] {
        for (std::uint64_t i = 0; i != run.size(); ++i) {
            auto *p = new int(1);
            escape(p);
            delete p;
        }
    });
}

// What is left of the above when nobody looks at the result: gcc and clang both remove the pair. It
// is written as what they make of it, so that a build without optimisation shows it too.
void allocate_nothing(session &run) {
    run.expect_heap_allocations(run.size());
    run.timed("work", 1, allocations(run.size()), [&] {
        for (std::uint64_t i = 0; i != run.size(); ++i) asm volatile("");
    });
}

// Work that no heap counter can see to be missing: only the time tells.
void finish_at_once(session &run) {
    run.timed("work", 1, allocations(run.size() * 1'000'000), [] {});
}

// Tells a test that this run has begun, on the pipe that it has handed down. The line is so long
// that a pipe which isn't read holds up all but the first few runs.
void announce() {
    const char *pipe = std::getenv("TOFT_PLANTED_PIPE");
    if (!pipe) return;
    const std::string line = std::string(PIPE_BUF - 1, '.') + '\n';
    if (write(std::stoi(pipe), line.data(), line.size()) < 0)
        throw std::runtime_error("nobody listens");
}

void allocate_and_announce(session &run) {
    if (!run.counted()) announce();
    allocate_and_free(run);
}

// Sound at first, then not: the run under the heap counter passes.
void crash(session &run) {
    if (!run.counted()) std::abort();
    allocate_and_free(run);
}

// With a process of its own that hangs as well, and ends in an hour if nobody stops it.
void hang(session &run) {
    if (run.counted()) return allocate_and_free(run);
    constexpr unsigned hour_seconds = 3600;
    if (fork() == 0) {
        alarm(hour_seconds);
        announce();
    }
    while (true) pause();
}

// Says so too: a subject that times less than it is asked for gets caught by its own words.
void do_half_the_work(session &run) {
    const std::uint64_t half = run.counted() ? run.size() : run.size() / 2;
    run.expect_heap_allocations(run.size());
    run.timed("work", 1, allocations(half), [&] {
        for (std::uint64_t i = 0; i != half; ++i) {
            auto *p = new int(1);
            escape(p);
            delete p;
        }
    });
}

// Doesn't say so: its own words are the same each time. With half the objects, or half the bytes.
void claim_more(session &run, std::uint64_t objects, std::size_t bytes) {
    run.expect_heap_allocations(run.size());
    run.timed("work", 1, allocations(run.size()), [&] {
        for (std::uint64_t i = 0; i != objects; ++i) {
            auto *p = new char[bytes];
            escape(p);
            delete[] p;
        }
    });
}
void hide_half_the_objects(session &run) {
    claim_more(run, run.counted() ? run.size() : run.size() / 2, 32);
}
void hide_smaller_objects(session &run) { claim_more(run, run.size(), run.counted() ? 32 : 8); }

// Takes objects of the right size, always, and then writes only to the first bytes of each.
void write_to_objects(session &run, std::size_t bytes) {
    run.expect_heap_allocations(run.size());
    run.timed("work", 1, allocations(run.size()), [&] {
        for (std::uint64_t i = 0; i != run.size(); ++i) {
            auto *p = new char[32];
            std::memset(p, 1, bytes);
            escape(p);
            delete[] p;
        }
    });
}
void write_all(session &run) { write_to_objects(run, 32); }
void write_less(session &run) { write_to_objects(run, 8); }
void hide_missing_stores(session &run) { write_to_objects(run, run.counted() ? 32 : 8); }

void compute_wrongly(session &run) { run.check(2 + 2 == 5, "2 + 2 isn't 5"); }

void time_nothing(session &) {}

void throw_error(session &) { throw std::runtime_error("thrown on purpose"); }

void die_without_answer(session &) { std::_Exit(0); }

// --- what one process hands on to the next: a file that makes whoever finds it slower ---

// The file of this run of the lab: the parent is the lab, which starts all the processes.
std::filesystem::path trace() {
    return std::filesystem::temp_directory_path() / fmt::format("toft-planted-{}", getppid());
}

// These subjects and the steady ones only say what they took: what a real clock shows depends on
// what else the machine does.
void claim(session &run, const char *phase, unsigned milliseconds) {
    self_report made_up;
    made_up.spent.cpu_ns = made_up.spent.wall_ns = std::uint64_t{milliseconds} * 1'000'000;
    run.adopt(phase, operations(run.size()), made_up);
}

void need_setting(session &run) {
    claim(run, "work", 10);
    const char *value = std::getenv("TOFT_PLANTED_SETTING");
    run.check(value && std::string(value) == "here", "its setting isn't there");
}
void need_no_setting(session &run) {
    claim(run, "work", 10);
    run.check(!std::getenv("TOFT_PLANTED_SETTING"), "another subject's setting is there");
}

void leave_trace(session &run) {
    claim(run, "work", 10);
    if (!run.counted()) std::ofstream(trace()) << "planted";
}

void stumble_over_trace(session &run) {
    claim(run, "work", std::filesystem::remove(trace()) ? 100 : 10);
}

void clean_up(session &run) {
    claim(run, "work", 10);
    std::filesystem::remove(trace());
}

// --- steady subjects, of which one is as slow as a test wants it to be ---

constexpr unsigned steady_milliseconds = 40;

void be_steady(session &run) {
    claim(run, "build", steady_milliseconds);
    claim(run, "visit", steady_milliseconds);
}

void be_slowed(session &run) {
    const char *chosen = std::getenv("TOFT_PLANTED_MS");
    claim(run, "build", steady_milliseconds);
    claim(run, "visit", chosen ? static_cast<unsigned>(std::stoul(chosen)) : steady_milliseconds);
}

std::vector<subject> make_subjects() {
    std::vector<subject> all = {
        {.name = "sound", .by_allocator = true, .run = allocate_and_announce},
        {.name = "elided", .run = allocate_nothing},
        {.name = "too fast", .run = finish_at_once},
        {.name = "crashing", .run = crash},
        {.name = "half the work", .run = do_half_the_work},
        {.name = "fewer objects, undeclared", .by_allocator = true, .run = hide_half_the_objects},
        {.name = "smaller objects, undeclared", .by_allocator = true, .run = hide_smaller_objects},
        {.name = "wrong", .run = compute_wrongly},
        {.name = "timing nothing", .run = time_nothing},
        {.name = "throwing", .run = throw_error},
        {.name = "silent", .run = die_without_answer},
        {.name = "absent", .run = throw_error, .missing = "planted to be missing"}};
    for (subject &s : all) s.cases = {"planted"};
    for (subject s :
         {subject{.name = "writes all", .run = write_all},
          subject{.name = "writes 8 of 32 bytes", .run = write_less},
          subject{.name = "writes 32 bytes when counted", .run = hide_missing_stores}}) {
        s.by_allocator = true;
        s.cases = {"stores"};
        all.push_back(std::move(s));
    }
    all.push_back({.name = "hanging", .run = hang, .cases = {"hanging"}});
    all.push_back({.name = "leaves a trace", .run = leave_trace, .cases = {"order"}});
    all.push_back({.name = "stumbles over it", .run = stumble_over_trace, .cases = {"order"}});
    all.push_back({.name = "cleans up", .run = clean_up, .cases = {"order"}});
    all.push_back({.name = "with a setting",
                   .run = need_setting,
                   .cases = {"setting"},
                   .setting = "TOFT_PLANTED_SETTING=here"});
    all.push_back({.name = "without it", .run = need_no_setting, .cases = {"setting"}});
    for (const char *name : {"steady 1", "steady 2", "steady 3", "steady 4", "steady 5"})
        all.push_back({.name = name, .run = be_steady, .cases = {"steady", "steady-4"}});
    all.push_back({.name = "slowed",
                   .is_toft = true, // the others are its controls
                   .run = be_slowed,
                   .cases = {"steady", "steady-4"}});
    return all;
}

const added_suite added([] {
    return suite{
        .name = "planted",
        .summary = "subjects that go wrong",
        .size = {"number of operations", 1, 1'000'000'000, 1'000'000, 100'000},
        .cases = {{"planted", "planted"},
                  {.name = "stores", .title = "stores", .object_bytes = 32, .stored_bytes = 32},
                  {"hanging", "hanging"},
                  {"order", "order"},
                  {"setting", "setting"},
                  {.name = "steady", .title = "steady", .threads = 2, .family = "steady"},
                  {.name = "steady-4",
                   .title = "steady, on 4 threads",
                   .threads = 4,
                   .only_full = true,
                   .family = "steady"}},
        .subjects = make_subjects(),
        .hidden = true,
    };
});

} // namespace
} // namespace toft::lab
