// SPDX-License-Identifier: MIT
// The suite `planted`: subjects that go wrong in the ways that the lab must notice. It isn't
// listed; the lab's tests run it.
#include "../../bench/cells.hpp"
#include "../../bench/printer.hpp"
#include "../../bench/registry.hpp"

#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

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

// Sound at first, then not: the run under the heap counter passes.
void crash(session &run) {
    if (!run.counted()) std::abort();
}

void hang(session &run) {
    if (!run.counted())
        while (true) pause();
}

void compute_wrongly(session &run) { run.check(2 + 2 == 5, "2 + 2 isn't 5"); }

void throw_error(session &) { throw std::runtime_error("thrown on purpose"); }

void die_without_answer(session &) { std::_Exit(0); }

void print(const suite_result &result, printer &out) {
    table t({{.header = ""}, {.header = "ns", .best = best_is::lowest}, {.header = "÷sound"}});
    const selection work{{"work"}, 1, 1};
    for (const row &r : result.rows)
        t.add({{r.title()},
               per_operation_cell(r, work),
               ratio_cell(r, result.find("planted", "sound"), work)});
    out.heading("planted");
    out.print(t);
}

} // namespace

suite planted_suite() {
    return {
        .name = "planted",
        .summary = "subjects that go wrong",
        .size = {"number of operations", 1, 1'000'000'000, 1'000'000, 100'000},
        .cases = {{"planted", "planted"}},
        .subjects = {{.name = "sound", .by_allocator = true, .run = allocate_and_free},
                     {.name = "elided", .run = allocate_nothing},
                     {.name = "too fast", .run = finish_at_once},
                     {.name = "crashing", .run = crash},
                     {.name = "hanging", .run = hang},
                     {.name = "wrong", .run = compute_wrongly},
                     {.name = "throwing", .run = throw_error},
                     {.name = "silent", .run = die_without_answer},
                     {.name = "absent", .run = throw_error, .missing = "planted to be missing"}},
        .print = print,
        .hidden = true,
    };
}

} // namespace toft::lab
