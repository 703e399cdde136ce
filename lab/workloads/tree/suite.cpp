// SPDX-License-Identifier: MIT
// The suite `tree`: a tree of 21,523,360 nodes is built, visited and freed, three times in one
// process. The first round finds cold memory; by the third, whatever keeps memory has kept it.
#include "show/cells.hpp"
#include "subject/registry.hpp"
#include "tree.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

constexpr unsigned rounds = 3;

using maker = std::unique_ptr<tree>();

// How many heap allocations a subject's text asks for, at the least, for a tree of n nodes.
using demand = std::uint64_t(std::uint64_t n);

void run_tree(session &run, maker *make, demand *demanded) {
    constexpr std::uint64_t modulus = 43'112'609;
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

subject make_yardstick(std::string name, maker *make) {
    subject s =
        make_subject(std::move(name), false, make, [](std::uint64_t) { return std::uint64_t{0}; });
    s.competes = false;
    return s;
}

subject toft_subject(std::string name, maker *make) {
    subject s =
        make_subject(std::move(name), false, make, [](std::uint64_t) { return std::uint64_t{0}; });
    s.is_toft = true;
    return s;
}

constexpr bool on_malloc = true;
std::uint64_t one_a_node(std::uint64_t n) { return n; }
std::uint64_t two_a_node(std::uint64_t n) { return 2 * n - 1; } // the root isn't on the heap
std::uint64_t none(std::uint64_t) { return 0; }

suite_table times_table(unsigned round, std::string heading, std::string note) {
    const selection build{{"build"}, round, round}, visit{{"traversal"}, round, round};
    const selection free{{"deallocation"}, round, round};
    const selection total{{"build", "traversal", "deallocation"}, round, round};
    return {.heading = std::move(heading),
            .columns = {{"build", quantity::milliseconds, build, {}, true},
                        {"visit", quantity::milliseconds, visit, {}, true},
                        {"free", quantity::milliseconds, free, {}, true},
                        decides({"total", quantity::milliseconds, total, {}, true},
                                fmt::format("round {}", round)),
                        {"±", quantity::spread, total},
                        {"wall", quantity::wall_milliseconds, total},
                        {"÷best", quantity::ratio, total}},
            .note = std::move(note)};
}

suite_table memory_table() {
    const selection giving_back{{"destruction"}, rounds, rounds};
    return {.heading = "tree: the whole process, three rounds",
            .columns = {{"peak MiB", quantity::peak_mebibytes, {}, {}, true},
                        {"page faults", quantity::page_faults, {}, {}, true},
                        {"give back, ms", quantity::milliseconds, giving_back},
                        {"process, ms", quantity::process_milliseconds, {}, {}, true}},
            .note = "give back: destruction at the very end. process: CPU time of the whole "
                    "process, its exit included."};
}

suite_table heap_table() {
    return {.heading = "tree: calls of the heap in one round, counted in a run of their own",
            .lines = table_lines::subjects_once,
            .columns = {{"allocations", quantity::heap_allocations},
                        {"deallocations", quantity::heap_deallocations},
                        {"bytes", quantity::heap_bytes},
                        {"chunks", quantity::chunks}}};
}

std::vector<suite_table> make_tables() {
    return {times_table(1, "tree: {size}, round 1 (cold memory): CPU ms", {}),
            times_table(rounds,
                        "tree: round 3 in the same process (memory reused where it was kept): "
                        "CPU ms",
                        "wall: the total by the wall clock. ÷best: total divided by the least "
                        "total. An arena is freed by a reset here, which keeps its memory for the "
                        "next round."),
            memory_table(), heap_table()};
}

std::string nodes_in_words(std::uint64_t levels) {
    return with_commas(nodes_of_tree(levels)) + " nodes";
}

const added_suite added([] {
    return suite{
        .name = "tree",
        .summary = "build, visit and free a ternary tree",
        .size = {"levels below the root", 1, 18, 15, 13},
        .cases = {{.name = "tree",
                   .title = "ternary tree",
                   .stored_bytes = 18}}, // a node is 20, a vector of three less
        .subjects = {make_yardstick("raw pointer", raw_tree_yardstick),
                     make_subject("vector<unique_ptr>", on_malloc, vector_of_unique_ptr_tree,
                                  two_a_node),
                     make_subject("unique_ptr", on_malloc, unique_ptr_tree, one_a_node),
                     make_subject("malloc", on_malloc, malloc_tree, one_a_node),
                     make_subject("pmr monotonic", false, pmr_monotonic_tree, none),
                     make_subject("pmr unsync. pool", false, pmr_pool_tree, none),
                     toft_subject("toft::arena", toft_tree),
                     toft_subject("toft::arena, destructors", toft_destructors_tree),
                     toft_subject("toft::arena, vectors", toft_vectors_tree),
                     toft_subject("toft::pooled, unique_ptr", toft_pooled_tree)},
        .tables = make_tables(),
        .size_in_words = nodes_in_words,
        .place = 1,
    };
});

} // namespace
} // namespace toft::lab
