// SPDX-License-Identifier: MIT
// The suite `binary-trees`: the Benchmarks Game's program, in C++ and in Go, with one allocator
// after the other. At N = 21 it makes 613,766,494 nodes of 16 bytes.
#include "game.hpp"
#include "go.hpp"
#include "show/cells.hpp"
#include "subject/registry.hpp"
#include "workloads/go/program.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

// How many heap allocations a subject's text asks for, at the least, in a game of size n.
using demand = std::uint64_t(unsigned n);
std::uint64_t none(unsigned) { return 0; }

// The subjects that the others of their language are compared with.
constexpr const char *plain_cpp = "new + delete";
constexpr const char *plain_go = "Go, naive";

subject in_cpp(std::string name, forest_maker *make, bool by_allocator = false,
               demand *demanded = none) {
    return {.name = std::move(name),
            .by_allocator = by_allocator,
            .run =
                [=](session &run) {
                    const auto n = static_cast<unsigned>(run.size());
                    std::string output;
                    run.expect_heap_allocations(demanded(n));
                    run.timed_on_threads("game", 1, allocations(nodes_of_game(n)),
                                         [&] { output = play_game(n, make); });
                    run.check(output == output_of_game(n), "the output isn't the Game's");
                },
            .baseline = plain_cpp};
}

subject in_go(std::string name, const char *allocator, demand *demanded = none) {
    return {.name = std::move(name),
            .run =
                [=](session &run) {
                    play_in_go(run, go_binary_trees, allocator,
                               demanded(static_cast<unsigned>(run.size())));
                },
            .missing = why_go_is_missing(go_binary_trees),
            .baseline = plain_go};
}

// Another arena, which is downloaded by scripts/setup-go-peers.
subject go_peer(std::string name, const char *program, const char *allocator) {
    const bool built = why_go_is_missing(program).empty();
    return {.name = std::move(name),
            .run = [=](session &run) { play_in_go(run, program, allocator, 0); },
            .missing = built ? "" : "not built: make bench-peers downloads and builds it",
            .baseline = plain_go};
}

subject of_toft(subject s) {
    s.is_toft = true;
    return s;
}

suite_table times_table() {
    const selection game{{"game"}, 1, 1};
    return {.heading = "binary-trees: {size}",
            .columns = {decides({"CPU ms", quantity::milliseconds, game, {}, true}, "CPU time"),
                        {"±", quantity::spread, game},
                        {"×plain", quantity::gain, game},
                        {"wall ms", quantity::wall_milliseconds, game, {}, true},
                        {"ns/node", quantity::nanoseconds, game},
                        {"peak MiB", quantity::peak_mebibytes, {}, {}, true}},
            .note = "The whole program, the trees of each depth in a thread or goroutine of their "
                    "own. ×plain: the CPU time of new + delete under glibc, or of Go's naive "
                    "program, which makes each node by new, divided by the row's. ns/node: CPU "
                    "time to make, count and free one.",
            .version_of = plain_go};
}

// Only Go has a collector.
table_column of_collector(std::string header, const char *name, double scale,
                          std::string unit = {}) {
    return {.header = std::move(header),
            .shows = quantity::figure,
            .name = name,
            .scale = scale,
            .unit = std::move(unit)};
}

suite_table heap_table() {
    return {.heading = "binary-trees: calls of the heap, and Go's collector",
            .lines = table_lines::subjects_once,
            .columns = {{"allocations", quantity::heap_allocations},
                        {"bytes", quantity::heap_bytes},
                        of_collector("collections", go_collections, 1),
                        of_collector("pause ms", go_pause_ns, 1e-6),
                        of_collector("share", go_collector_share, 100, "%")},
            .note = "pause: all the time in which the collector stopped the program. share: of the "
                    "CPU time, the collector's."};
}

std::string game_in_words(std::uint64_t size) {
    const auto n = static_cast<unsigned>(size);
    return fmt::format("N = {}, {} trees of {} nodes in all", n, with_commas(trees_of_game(n)),
                       with_commas(nodes_of_game(n)));
}

const added_suite added([] {
    return suite{
        .name = "binary-trees",
        .summary = "the Benchmarks Game's program in C++ and Go",
        .size = {"N, the trees' depth", 1, 26, 21, 15},
        .cases = {{.name = "binary-trees",
                   .title = "binary trees",
                   .stored_bytes = 2 * sizeof(void *)}},
        .subjects = {in_cpp(plain_cpp, forest_on_new, true, nodes_of_game),
                     in_cpp("pmr monotonic", forest_on_pmr_monotonic),
                     in_cpp("pmr over one buffer", forest_on_pmr_buffer),
                     in_cpp("pmr unsync. pool", forest_on_pmr_pool),
                     of_toft(in_cpp("toft::arena", forest_on_toft)),
                     in_go(plain_go, "naive", nodes_of_game),
                     in_go("Go, a buffer for each tree", "buffered", trees_of_game),
                     in_go("Go, sync.Pool", "pool"), of_toft(in_go("Go, toft.Slab", "slab")),
                     of_toft(in_go("Go, toft.Arena", "arena")),
                     of_toft(in_go("Go, toft.Index", "index")),
                     of_toft(in_go("Go, toft.Slab, policy Drop", "drop")),
                     go_peer("Go, hyperpb's arena", go_peer_trees, "hyperpb"),
                     go_peer("Go, nuke", go_peer_trees, "nuke"),
                     go_peer("Go, wundergraph's arena", go_peer_trees, "wundergraph"),
                     go_peer("Go, GOEXPERIMENT=arenas", go_peer_trees_experiment, "goexperiment")},
        .tables = {times_table(), heap_table()},
        .size_in_words = game_in_words,
        .place = 5,
    };
});

} // namespace
} // namespace toft::lab
