// SPDX-License-Identifier: MIT
// The suite `binary-trees`: the Benchmarks Game's program, in C++ and in Go, with one allocator
// after the other. At N = 21 it makes 613,766,494 nodes of 16 bytes.
#include "game.hpp"
#include "go.hpp"
#include "subject/registry.hpp"
#include "tables.hpp"

namespace toft::lab {
namespace {

// How many heap allocations a subject's text asks for, at the least, in a game of size n.
using demand = std::uint64_t(unsigned n);
std::uint64_t none(unsigned) { return 0; }

subject in_cpp(std::string name, forest_maker *make, bool by_allocator = false,
               demand *demanded = none) {
    return {.name = std::move(name), .by_allocator = by_allocator, .run = [=](session &run) {
                const auto n = static_cast<unsigned>(run.size());
                std::string output;
                run.expect_heap_allocations(demanded(n));
                run.timed_on_threads("game", 1, allocations(nodes_of_game(n)),
                                     [&] { output = play_game(n, make); });
                run.check(output == output_of_game(n), "the output isn't the Game's");
            }};
}

subject in_go(std::string name, const char *allocator, demand *demanded = none) {
    return {.name = std::move(name),
            .run =
                [=](session &run) {
                    play_in_go(run, allocator, demanded(static_cast<unsigned>(run.size())));
                },
            .missing = why_go_is_missing()};
}

} // namespace

suite binary_trees_suite() {
    return {
        .name = "binary-trees",
        .summary = "the Benchmarks Game's program in C++ and Go",
        .size = {"N, the trees' depth", 1, 26, 21, 16},
        .cases = {{"binary-trees", "binary trees"}},
        .subjects = {in_cpp(plain_cpp, forest_on_new, true, nodes_of_game),
                     in_cpp("pmr monotonic", forest_on_pmr_monotonic),
                     in_cpp("pmr over one buffer", forest_on_pmr_buffer),
                     in_cpp("pmr unsync. pool", forest_on_pmr_pool),
                     in_cpp("toft::arena", forest_on_toft), in_go(plain_go, "naive", nodes_of_game),
                     in_go("Go, buffered", "buffered", trees_of_game),
                     in_go("Go, sync.Pool", "pool"), in_go("Go, toft.Slab", "slab"),
                     in_go("Go, toft.Arena", "arena"), in_go("Go, toft.Index", "index"),
                     in_go("Go, toft.Slab, drop", "drop")},
        .print = print_binary_trees_tables,
    };
}

} // namespace toft::lab
