// SPDX-License-Identifier: MIT
// Tables that a suite declares, printed from rows made by hand.
#include "printed.hpp"
#include "rows.hpp"
#include "show/suite_tables.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

suite two_cases(suite_table shown) {
    return {.name = "made",
            .summary = "rows made by hand",
            .size = {"objects", 1, 1000, 100, 100},
            .cases = {{"one", "the first"}, {"two", "the second"}, {"three", "the third"}},
            .subjects = {{.name = "raw", .run = {}},
                         {.name = "malloc", .by_allocator = true, .run = {}}},
            .tables = {std::move(shown)}};
}

row made_row(const char *case_name, const char *subject, const char *allocator,
             std::uint64_t cpu_ns) {
    row r = row_of({cpu_ns, cpu_ns, cpu_ns});
    r.case_name = case_name;
    r.subject = subject;
    r.allocator = allocator;
    r.by_allocator = r.subject == "malloc";
    r.counted = measured("work", 100, cpu_ns);
    r.counted->heap.allocations = 1234;
    return r;
}

// Two mallocs and a yardstick in the case "one", one malloc in the case "two".
std::string printed(const suite_table &shown) {
    const suite of = two_cases(shown);
    suite_result result = result_of(of, 100);
    result.rows = {made_row("one", "raw", "glibc", 100),
                   made_row("one", "malloc", "glibc", 400),
                   made_row("one", "malloc", "mimalloc", 200),
                   made_row("two", "malloc", "glibc", 800),
                   made_row("three", "malloc", "toft-malloc", 100),
                   made_row("three", "malloc", "mimalloc", 200),
                   made_row("three", "malloc", "jemalloc", 400)};
    result.rows.front().competes = false;
    return printed_by([&](printer &out) { print_suite(of, result, out); });
}

} // namespace

TEST_CASE(
    "a table for each case: the best is marked, a yardstick isn't, ratios are to their reference") {
    CHECK(printed({.heading = "{size} objects of {case}",
                   .cases = {"one"},
                   .columns = {{"ns", quantity::nanoseconds, work_phase, "all", true},
                               {"÷raw", quantity::ratio, work_phase, "all", false, "raw"},
                               {"÷best", quantity::ratio, work_phase},
                               {"gain", quantity::gain, work_phase, {}, false, "malloc"}}}) ==
          "\n100 objects of the first\n"
          "                     all\n"
          "                    ns  ÷raw ÷best gain\n"
          "raw               1.00  1.00  0.50 4.00\n"
          "malloc (glibc)    4.00  4.00  2.00 1.00\n"
          "malloc (mimalloc) 2.00* 2.00  1.00 2.00\n");
}

TEST_CASE("a line for each subject, with the columns once for each case") {
    CHECK(printed({.heading = "both",
                   .cases = {"one", "two"},
                   .lines = table_lines::subjects,
                   .columns = {{"", quantity::nanoseconds, work_phase}}}) ==
          "\nboth\n"
          "                   one  two\n"
          "raw               1.00    -\n"
          "malloc (glibc)    4.00 8.00\n"
          "malloc (mimalloc) 2.00    -\n");
}

TEST_CASE("heap calls are shown once for all rows of a subject") {
    CHECK(printed({.heading = "heap",
                   .cases = {"one"},
                   .lines = table_lines::subjects_once,
                   .columns = {{"calls", quantity::heap_allocations}},
                   .note = "counted"}) == "\nheap\n"
                                          "       calls\n"
                                          "raw    1,234\n"
                                          "malloc 1,234\n"
                                          "counted\n");
}

TEST_CASE("a line for each case, of its fastest malloc, where the reference was measured") {
    CHECK(printed({.heading = "fastest",
                   .cases = {"one", "two"},
                   .lines = table_lines::fastest_malloc_of_it,
                   .columns = {{"is", quantity::allocator},
                               {"÷raw", quantity::ratio, work_phase, {}, false, "raw"}}}) ==
          "\nfastest\n"
          "                is ÷raw\n"
          "the first mimalloc 2.00\n");
}

TEST_CASE("the fastest malloc that isn't Toft's can be the reference") {
    CHECK(
        printed(
            {.heading = "fastest",
             .cases = {"three"},
             .columns = {{"÷malloc", quantity::ratio, work_phase, {}, false, fastest_other_malloc},
                         {"gain",
                          quantity::gain_in_words,
                          work_phase,
                          {},
                          false,
                          fastest_other_malloc}}}) == "\nfastest\n"
                                                      "                     ÷malloc       gain\n"
                                                      "malloc (toft-malloc)    0.50       2.00\n"
                                                      "malloc (mimalloc)       1.00          -\n"
                                                      "malloc (jemalloc)       2.00 loses 2.00\n");
}

TEST_CASE("a table of which nothing was measured is left out, and so is its note") {
    CHECK(printed({.heading = "none", .cases = {"four"}, .columns = {}, .note = "unseen"}).empty());
}
