// SPDX-License-Identifier: MIT
// The suite `pool`: objects of a few sizes that come and go on many threads, freed in any order, by
// any thread.
#include "cases.hpp"
#include "doors.hpp"
#include "subject/registry.hpp"

namespace toft::lab {
namespace {

// Cases of one program differ only in their number of threads.
std::string family_of(pool_program program) {
    switch (program) {
    case pool_program::one_live_small:
        return "one live object of 4, 20, 40, 80 bytes";
    case pool_program::one_live_large:
        return "one live object of 1024 bytes";
    case pool_program::one_live:
        return "one live object of 64 bytes";
    default:
        return {};
    }
}

// Objects get a stamp of four bytes, buffers one in each page, which are 12 on average of those of
// 32 to 64 KiB, the longest that the heap's counter looks at; a container's nodes get their links
// and values.
double stored_bytes_of(pool_program program) {
    if (program == pool_program::list) return 2 * sizeof(void *) + sizeof(std::uint64_t);
    if (program == pool_program::map) return 3 * sizeof(void *) + 4 + 4 + sizeof(std::uint64_t);
    if (program == pool_program::larson_buffers) return 12 * sizeof(std::uint32_t);
    return sizeof(std::uint32_t);
}

const selection cold{{"pairs"}, 1, 1};
const selection warm{{"pairs"}, first_warm_round, last_pool_round};

// A line for each subject, a column for each case.
suite_table matrix(std::string heading, std::vector<std::string> cases, quantity shows,
                   const selection &of = warm, std::string contest = {}) {
    return {.heading = std::move(heading),
            .cases = std::move(cases),
            .lines = table_lines::subjects,
            .columns = {decides({"", shows, of, {}, true}, std::move(contest))}};
}

suite_table ratio_table() {
    const std::string malloc = "fastest malloc", divided = "it, divided by toft::pool";
    return {
        .heading = "pool: how much faster than the fastest malloc of each case",
        .lines = table_lines::fastest_malloc_of_it,
        .columns = {{"is", quantity::allocator, {}, malloc},
                    {"ns", quantity::nanoseconds, warm, malloc},
                    {"±", quantity::spread, warm, malloc},
                    {"handle", quantity::ratio, warm, divided, false, "toft::pool, handle"},
                    {"shared", quantity::ratio, warm, divided, false, "toft::pool, shared"},
                    {"own", quantity::ratio, warm, divided, false, "toft::pool, own"}},
        .note =
            "A pair is one allocation and its free, with 4 bytes of the object written, in buffers "
            "4 of each page; in list and map it is one element's whole life. CPU time of all "
            "threads. ×5, ×10: so many threads. shared: the process's pool; handle: the same by a "
            "thread's own cache of it, asked for once, which no container takes; own: a pool that "
            "the program made."};
}

std::vector<suite_table> make_tables() {
    const std::vector<std::string> one_live = {"ping-small-1", "ping-small-5", "ping-small-10",
                                               "ping-1024-1",  "ping-1024-5",  "ping-1024-10"};
    const std::vector<std::string> many_live = {
        "ping-1", "ping-10", "order-64", "order-mixed", "order-1024", "random-64", "random-mixed"};
    const std::vector<std::string> between = {"handed-on", "larson", "larson-buffers", "list",
                                              "map"};
    const std::string later = "later rounds";
    return {
        matrix("pool: one live object a thread, of 4, 20, 40 and 80 bytes in turn or of 1024, "
               "CPU ns a pair",
               one_live, quantity::nanoseconds, warm, later),
        matrix("pool: one live object, and 10,000 live ones freed in order or in random "
               "order, CPU ns a pair",
               many_live, quantity::nanoseconds, warm, later),
        matrix("pool: between threads, and in containers, CPU ns a pair", between,
               quantity::nanoseconds, warm, later),
        matrix("pool: between threads, CPU ns a pair in the first round, cold", between,
               quantity::nanoseconds, cold, "first round"),
        matrix("pool: between threads, wall-clock ns a pair", between, quantity::wall_nanoseconds),
        matrix("pool: between threads, peak memory in MiB", between, quantity::peak_mebibytes),
        ratio_table()};
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const pool_case &c : pool_cases())
        cases.push_back({.name = c.name,
                         .title = c.title,
                         .threads = c.threads,
                         .family = family_of(c.program),
                         .header = c.header,
                         .stored_bytes = stored_bytes_of(c.program)});
    return cases;
}

std::vector<std::string> cases_without_containers() {
    std::vector<std::string> names;
    for (const pool_case &c : pool_cases())
        if (c.program != pool_program::list && c.program != pool_program::map)
            names.push_back(c.name);
    return names;
}

const added_suite added([] {
    return suite{
        .name = "pool",
        .summary = "allocate and free small objects on many threads",
        .size = {"pairs of allocate and free, times a factor of each case", 1000, 1'000'000'000,
                 2'000'000, 125'000},
        .cases = make_cases(),
        .subjects = {{.name = "toft::pool, handle",
                      .is_toft = true,
                      .run = run_on_pool_handle,
                      .cases = cases_without_containers()},
                     {.name = "toft::pool, shared", .is_toft = true, .run = run_on_shared_pool},
                     {.name = "toft::pool, own", .is_toft = true, .run = run_on_own_pool},
                     {.name = "malloc", .by_allocator = true, .run = run_on_malloc},
                     {.name = "pmr synchronized pool", .run = run_on_pmr_synchronized_pool},
                     {.name = "tagged Treiber stack", .run = run_on_tagged_stack}},
        .tables = make_tables(),
        .place = 3,
    };
});

} // namespace
} // namespace toft::lab
