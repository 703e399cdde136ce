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

enum class twin { plain, idle };

std::vector<std::string> cases_of(twin which) {
    std::vector<std::string> names;
    for (const aged_case &c : aged_cases())
        names.push_back(which == twin::idle ? name_of_idle(c) : c.name);
    return names;
}

// Both twins of the cases for which the condition holds.
template <class Condition>
std::vector<std::string> cases_where(Condition holds) {
    std::vector<std::string> names;
    for (const aged_case &c : aged_cases())
        if (holds(c)) names.insert(names.end(), {c.name, name_of_idle(c)});
    return names;
}
bool on_one_thread(const aged_case &c) { return c.threads == 1; }
bool frees_all_in_a_round(const aged_case &c) {
    return c.program == aged_program::tree || c.program == aged_program::map;
}

// How much memory is resident at the peak for each byte of a live object.
table_column fragmentation() {
    return {.header = "÷live",
            .shows = quantity::figure_ratio,
            .group = "resident MiB",
            .name = resident_peak,
            .divided_by = live_peak};
}

suite_table times_table() {
    constexpr const char *fresh = "fresh", *aged = "aged";
    suite_table t = {.heading = "aged: {case}, {size} of the usual objects, CPU ms of each round",
                     .cases = cases_of(twin::plain),
                     .note =
                         "fresh: the first round of a process. aged: the seven rounds after it, "
                         "on memory that was freed before. all: these seven together. ÷best: "
                         "that, divided by the least. Rounds differ in size, by as much for "
                         "every row. frees dropped: an arena behind the same calls, which forgets "
                         "each round at its end; it isn't compared. MiB: beyond what the process "
                         "began with, where most objects live, and after the last round, when "
                         "none does. ÷live: the peak, divided by the bytes of the objects that "
                         "live then."};
    t.columns.push_back(
        decides({"1", quantity::milliseconds, rounds(1, 1), fresh, true}, "first round"));
    for (unsigned round = 2; round <= aged_rounds; ++round)
        t.columns.push_back(
            {std::to_string(round), quantity::milliseconds, rounds(round, round), aged, true});
    const selection all = rounds(2, aged_rounds);
    t.columns.push_back(decides({"all", quantity::milliseconds, all, aged, true}, "aged rounds"));
    t.columns.push_back({"±", quantity::spread, all, aged});
    t.columns.push_back({"÷best", quantity::ratio, all, aged});
    t.columns.push_back(resident_column("peak", resident_peak));
    t.columns.push_back(fragmentation());
    t.columns.push_back(resident_column("freed", resident_freed));
    return t;
}

suite_table memory_table() {
    return {.heading = "aged: {case}, resident memory beyond what the process began with",
            .cases = cases_of(twin::idle),
            .columns = {resident_column("peak", resident_peak), fragmentation(),
                        resident_column("freed", resident_freed),
                        resident_column("5 s later", resident_later)},
            .note = "peak: where most objects live. ÷live: it, divided by the bytes of these "
                    "objects. freed: after the last round, when no object "
                    "lives. 5 s later: after five seconds in which the main thread allocates 200 "
                    "objects of 16 to 527 bytes and frees them, ten times a second."};
}

// What is written to an object, on average: a document's nodes and texts; all of those that are
// filled; of a map's node the links, the key and the value; of the others a stamp.
double stored_bytes_of(aged_program program) {
    switch (program) {
    case aged_program::tree:
    case aged_program::survivors:
        return 30;
    case aged_program::random_frees:
    case aged_program::phase_change:
    case aged_program::kinds:
        return 64;
    case aged_program::map:
        return 3 * sizeof(void *) + 12;
    case aged_program::buffers:
    case aged_program::blocks:
        return 32 * 1024; // all of each, and the least has so much
    default:
        return sizeof(std::uint32_t);
    }
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const aged_case &c : aged_cases())
        cases.push_back({.name = c.name,
                         .title = c.title,
                         .threads = c.threads,
                         .stored_bytes = stored_bytes_of(c.program)});
    for (const aged_case &c : aged_cases())
        cases.push_back({.name = name_of_idle(c),
                         .title = c.title + ", then five idle seconds",
                         .threads = c.threads,
                         .only_full = true,
                         .once = true});
    return cases;
}

const added_suite added([] {
    return suite{
        .name = "aged",
        .summary = "eight rounds in one process: what later rounds take, and what memory stays",
        .size = {"percent of the usual objects", 1, 1000, 100, 30},
        .cases = make_cases(),
        .subjects =
            {{.name = "toft::reap",
              .is_toft = true,
              .run = age_reap,
              .cases = cases_where(on_one_thread)},
             {.name = "toft::pool", .is_toft = true, .run = age_shared_pool},
             // It keeps no promise about what is freed, so it is a yardstick and not a rival.
             {.name = "toft::arena, frees dropped",
              .is_toft = true,
              .competes = false,
              .run = age_arena,
              .cases = cases_where(frees_all_in_a_round)},
             {.name = "malloc", .by_allocator = true, .run = age_malloc}},
        .tables = {times_table(), memory_table()},
        .size_in_words = [](std::uint64_t percent) { return fmt::format("{} %", percent); },
        .watches_memory = true,
        .place = 4,
    };
});

} // namespace
} // namespace toft::lab
