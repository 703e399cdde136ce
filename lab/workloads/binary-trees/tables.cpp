// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "game.hpp"
#include "go.hpp"
#include "show/cells.hpp"
#include "subject/suite.hpp"

#include <fmt/format.h>
#include <set>

namespace toft::lab {
namespace {

const selection game{{"game"}, 1, 1};

bool is_go(const row &r) { return r.subject.starts_with("Go, "); }

const row *plain_of(const suite_result &result, const row &r) {
    return result.find(r.case_name, is_go(r) ? plain_go : plain_cpp);
}

// How many times as fast as the plain program of its language.
cell gain_cell(const row &r, const row *plain) {
    return plain ? ratio_cell(*plain, &r, game) : cell{"-"};
}

void print_times(const suite_result &result, printer &out) {
    table t({{.header = ""},
             {.header = "CPU ms", .best = best_is::lowest},
             {.header = "±"},
             {.header = "×plain"},
             {.header = "wall ms", .best = best_is::lowest},
             {.header = "ns/node"},
             {.header = "peak MiB", .best = best_is::lowest}});
    for (const row &r : result.rows)
        t.add(
            {{r.title()},
             milliseconds_cell(r, game),
             spread_cell(r, game),
             gain_cell(r, plain_of(result, r)),
             milliseconds_cell(r, game, clock_kind::wall),
             {per_operation_cell(r, game).text},
             has_figures(r) ? mebibytes_cell(median_of(r, &measurement::peak_bytes)) : cell{"-"}});
    out.print(t);
}

// A figure of the collector, or a dash in C++, which has none.
cell collector_cell(const row &r, const char *figure, double scale) {
    const std::optional<double> median = median_of(r, figure);
    return median ? cell{fmt::format("{:.0f}", *median * scale)} : cell{"-"};
}

void print_heap(const suite_result &result, printer &out) {
    table t({{.header = ""},
             {.header = "allocations"},
             {.header = "bytes"},
             {.header = "collections"},
             {.header = "pause ms"},
             {.header = "share"}});
    std::set<std::string> done;
    for (const row &r : result.rows) {
        if (!r.counted || !done.insert(r.subject).second) continue;
        cell share = collector_cell(r, go_collector_share, 100);
        if (share.text != "-") share.text += '%';
        t.add({{r.subject},
               count_cell(r.counted->heap.allocations),
               count_cell(r.counted->heap.bytes),
               collector_cell(r, go_collections, 1),
               collector_cell(r, go_pause_ns, 1e-6),
               std::move(share)});
    }
    out.print(t);
}

std::string version_of_go(const suite_result &result) {
    for (const row &r : result.rows)
        if (is_go(r) && !r.samples.empty()) return " Go is " + r.samples.front().version + ".";
    return {};
}

} // namespace

void print_binary_trees_tables(const suite_result &result, printer &out) {
    const auto n = static_cast<unsigned>(result.size);
    out.heading(fmt::format("binary-trees: N = {}, {} trees of {} nodes in all", n,
                            with_commas(trees_of_game(n)), with_commas(nodes_of_game(n))));
    print_times(result, out);
    out.text("The whole program, the trees of each depth in a thread or goroutine of their own. "
             "×plain: the CPU time of new + delete under glibc, or of Go's naive program, divided "
             "by the row's. ns/node: CPU time to make, count and free one." +
             version_of_go(result));
    out.heading("binary-trees: calls of the heap, and Go's collector");
    print_heap(result, out);
    out.text("pause: all the time in which the collector stopped the program. share: of the CPU "
             "time, the collector's.");
}

} // namespace toft::lab
