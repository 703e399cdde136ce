// SPDX-License-Identifier: MIT
// The suite `aged`: eight rounds of a program in one process. The first round finds fresh memory,
// the others the memory that was freed before them, in another order than it was allocated.
#include "cases.hpp"
#include "footprint.hpp"
#include "subject/registry.hpp"
#include "ways.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

selection rounds(unsigned first, unsigned last) {
    return {phases_of_rounds(first, last), lab_round(first), lab_round(first)};
}

std::vector<std::string> names_of_cases(bool idle, bool one_thread, bool several) {
    std::vector<std::string> names;
    for (const aged_case &c : aged_cases())
        if (c.threads == 1 ? one_thread : several) names.push_back(idle ? name_of_idle(c) : c.name);
    return names;
}

table_column resident(std::string header, const char *figure) {
    return {.header = std::move(header),
            .shows = quantity::figure,
            .group = "resident MiB",
            .name = figure,
            .scale = 1.0 / (1 << 20)};
}

suite_table times_table() {
    constexpr const char *fresh = "fresh", *aged = "aged";
    suite_table t = {.heading = "aged: {case}, CPU ms of each round",
                     .cases = names_of_cases(false, true, true),
                     .note =
                         "fresh: the first round of a process. aged: the seven rounds after it, "
                         "on memory that was freed before. all: these seven together. ÷best: "
                         "that, divided by the least. Rounds differ in size, by as much for "
                         "every row."};
    t.columns.push_back({"1", quantity::milliseconds, rounds(1, 1), fresh, true});
    for (unsigned round = 2; round <= aged_rounds; ++round)
        t.columns.push_back(
            {std::to_string(round), quantity::milliseconds, rounds(round, round), aged, true});
    const selection all = rounds(2, aged_rounds);
    t.columns.push_back({"all", quantity::milliseconds, all, aged, true});
    t.columns.push_back({"±", quantity::spread, all, aged});
    t.columns.push_back({"÷best", quantity::ratio, all, aged});
    t.columns.push_back(resident("peak", resident_peak));
    t.columns.push_back(resident("freed", resident_freed));
    return t;
}

suite_table memory_table() {
    return {.heading = "aged: {case}, resident memory beyond what the process began with",
            .cases = names_of_cases(true, true, true),
            .columns = {resident("peak", resident_peak), resident("freed", resident_freed),
                        resident("5 s later", resident_later)},
            .note = "peak: where most objects live. freed: after the last round, when no object "
                    "lives. 5 s later: after five seconds in which the main thread allocates 2000 "
                    "objects of 64 bytes and frees them, ten times a second."};
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const aged_case &c : aged_cases())
        cases.push_back({.name = c.name, .title = c.title, .threads = c.threads});
    for (const aged_case &c : aged_cases())
        cases.push_back({.name = name_of_idle(c),
                         .title = c.title + ", then five idle seconds",
                         .threads = c.threads,
                         .only_full = true,
                         .once = true});
    return cases;
}

std::vector<std::string> both(bool one_thread, bool several) {
    std::vector<std::string> names = names_of_cases(false, one_thread, several);
    for (std::string &idle : names_of_cases(true, one_thread, several))
        names.push_back(std::move(idle));
    return names;
}

std::vector<std::string> cases_of_whole_rounds() {
    std::vector<std::string> names;
    for (const aged_case &c : aged_cases())
        if (c.program == aged_program::tree || c.program == aged_program::map)
            for (std::string name : {c.name, name_of_idle(c)}) names.push_back(std::move(name));
    return names;
}

const added_suite added([] {
    return suite{
        .name = "aged",
        .summary = "eight rounds in one process: what later rounds take, and what memory stays",
        .size = {"percent of the usual objects", 1, 1000, 100, 30},
        .cases = make_cases(),
        .subjects =
            {{.name = "toft::reap", .is_toft = true, .run = age_reap, .cases = both(true, false)},
             {.name = "toft::pool", .is_toft = true, .run = age_shared_pool},
             {.name = "toft::arena, frees dropped",
              .is_toft = true,
              .run = age_arena,
              .cases = cases_of_whole_rounds()},
             {.name = "malloc", .by_allocator = true, .run = age_malloc}},
        .tables = {times_table(), memory_table()},
        .size_in_words = [](std::uint64_t percent) { return fmt::format("{} %", percent); },
        .place = 4,
    };
});

} // namespace
} // namespace toft::lab
