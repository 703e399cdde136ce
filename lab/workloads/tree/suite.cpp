// SPDX-License-Identifier: MIT
// The suite `tree`: a tree of 21,523,360 nodes is built, visited and freed, three times in one
// process. The first round finds cold memory; by the third, whatever keeps memory has kept it.
#include "subject/registry.hpp"
#include "tables.hpp"
#include "tree.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

using maker = std::unique_ptr<tree>();

// How many heap allocations a subject's text asks for, at the least, for a tree of n nodes.
using demand = std::uint64_t(std::uint64_t n);

void run_tree(session &run, maker *make, demand *demanded) {
    constexpr std::uint64_t modulus = 43'112'609;
    constexpr unsigned rounds = 3;
    const std::uint64_t n = nodes_of_tree(run.size());
    const std::uint64_t expected_sum = n * (n - 1) / 2 % modulus;
    const auto levels = static_cast<unsigned>(run.size());
    const unsigned last_round = run.counted() ? 1 : rounds;
    const std::unique_ptr<tree> t = make();

    run.expect_heap_allocations(demanded(n));
    for (unsigned round = 1; round <= last_round; ++round) {
        std::uint64_t sum = 0;
        run.timed("build", round, allocations(n), [&] { t->build(levels); });
        run.timed("traversal", round, operations(n), [&] { sum = t->sum_of_ids(); });
        run.set_chunks(t->chunks());
        run.timed("deallocation", round, operations(n), [&] { t->free(); });
        run.check(sum % modulus == expected_sum, fmt::format("sum of ids mod {} is {}, not {}",
                                                             modulus, sum % modulus, expected_sum));
    }
    run.timed("destruction", last_round, operations(n), [&] { t->give_memory_back(); });
}

subject make_subject(std::string name, bool by_allocator, maker *make, demand *demanded) {
    return {.name = std::move(name), .by_allocator = by_allocator, .run = [=](session &run) {
                run_tree(run, make, demanded);
            }};
}

subject make_limit(std::string name, maker *make) {
    subject s =
        make_subject(std::move(name), false, make, [](std::uint64_t) { return std::uint64_t{0}; });
    s.competes = false;
    return s;
}

constexpr bool on_malloc = true;
std::uint64_t one_a_node(std::uint64_t n) { return n; }
std::uint64_t two_a_node(std::uint64_t n) { return 2 * n - 1; } // the root isn't on the heap
std::uint64_t none(std::uint64_t) { return 0; }

} // namespace

suite tree_suite() {
    return {
        .name = "tree",
        .summary = "build, visit and free a ternary tree",
        .size = {"levels below the root", 1, 18, 15, 13},
        .cases = {{"tree", "ternary tree"}},
        .subjects = {make_limit("raw pointer", raw_tree_limit),
                     make_subject("vector<unique_ptr>", on_malloc, vector_of_unique_ptr_tree,
                                  two_a_node),
                     make_subject("unique_ptr", on_malloc, unique_ptr_tree, one_a_node),
                     make_subject("malloc", on_malloc, malloc_tree, one_a_node),
                     make_subject("pmr monotonic", false, pmr_monotonic_tree, none),
                     make_subject("pmr unsync. pool", false, pmr_pool_tree, none),
                     make_subject("toft::arena", false, toft_tree, none),
                     make_subject("toft::arena, destructors", false, toft_destructors_tree, none),
                     make_subject("toft::arena, vectors", false, toft_vectors_tree, none)},
        .print = print_tree_tables,
    };
}

} // namespace toft::lab
