// SPDX-License-Identifier: MIT
// The suite `pool`: objects of a few sizes that come and go on many threads, freed in any order, by
// any thread.
#include "cases.hpp"
#include "doors.hpp"
#include "subject/registry.hpp"
#include "tables.hpp"

namespace toft::lab {
namespace {

// Cases of one program differ in their threads alone.
std::string family_of(pool_program program) {
    switch (program) {
    case pool_program::seed_small:
        return "seed 4: small objects";
    case pool_program::seed_large:
        return "seed 4: 1024 bytes";
    case pool_program::one_live:
        return "one live object of 64 bytes";
    default:
        return {};
    }
}

} // namespace

suite pool_suite() {
    suite s = {
        .name = "pool",
        .summary = "allocate and free small objects on many threads",
        .size = {"pairs of allocate and free, times a factor of each case", 1000, 1'000'000'000,
                 2'000'000, 250'000},
        .cases = {},
        .subjects = {{.name = "toft::pool, handle", .run = run_on_pool_handle},
                     {.name = "toft::pool, shared", .run = run_on_shared_pool},
                     {.name = "toft::pool, own", .run = run_on_own_pool},
                     {.name = "malloc", .by_allocator = true, .run = run_on_malloc},
                     {.name = "pmr synchronized pool", .run = run_on_pmr_synchronized_pool},
                     {.name = "seed 4's, made safe", .run = run_on_tagged_stack}},
        .print = print_pool_tables,
    };
    for (const pool_case &c : pool_cases())
        s.cases.push_back({.name = c.name,
                           .title = c.title,
                           .threads = c.threads,
                           .family = family_of(c.program)});
    return s;
}

} // namespace toft::lab
