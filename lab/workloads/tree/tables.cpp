// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "show/cells.hpp"
#include "subject/suite.hpp"
#include "tree.hpp"

#include <fmt/format.h>
#include <limits>
#include <set>

namespace toft::lab {
namespace {

selection total_of(unsigned round) {
    return {{"build", "traversal", "deallocation"}, round, round};
}

selection phase_of(const char *phase, unsigned round) { return {{phase}, round, round}; }

// The row with the least total, which the ratios are to. Null when no row has figures.
const row *best_row(const suite_result &result, unsigned round) {
    const row *best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const row &r : result.rows) {
        const auto totals = nanoseconds_of_processes(r, total_of(round), clock_kind::cpu);
        if (!r.competes || !has_figures(r) || totals.empty()) continue;
        const double total = summarise(totals).median;
        if (total < least) best = &r, least = total;
    }
    return best;
}

void print_times(const suite_result &result, unsigned round, printer &out) {
    table t({{.header = ""},
             {.header = "build", .best = best_is::lowest},
             {.header = "visit", .best = best_is::lowest},
             {.header = "free", .best = best_is::lowest},
             {.header = "total", .best = best_is::lowest},
             {.header = "±"},
             {.header = "wall"},
             {.header = "÷best"}});
    const row *best = best_row(result, round);
    for (const row &r : result.rows)
        t.add({{r.title()},
               milliseconds_cell(r, phase_of("build", round)),
               milliseconds_cell(r, phase_of("traversal", round)),
               milliseconds_cell(r, phase_of("deallocation", round)),
               milliseconds_cell(r, total_of(round)),
               spread_cell(r, total_of(round)),
               milliseconds_cell(r, total_of(round), clock_kind::wall),
               ratio_cell(r, best, total_of(round))});
    out.print(t);
}

void print_memory(const suite_result &result, printer &out) {
    table t({{.header = ""},
             {.header = "peak MiB", .best = best_is::lowest},
             {.header = "page faults", .best = best_is::lowest},
             {.header = "give back, ms"},
             {.header = "process, ms", .best = best_is::lowest}});
    for (const row &r : result.rows) {
        if (!has_figures(r)) continue;
        const double faults = median_of(r, &measurement::minor_faults);
        const double process_ms = median_of(r, &measurement::process_cpu_ns) * 1e-6;
        t.add({{r.title()},
               in_competition(r, mebibytes_cell(median_of(r, &measurement::peak_bytes))),
               in_competition(r, {with_commas(static_cast<std::uint64_t>(faults)), faults}),
               milliseconds_cell(r, phase_of("destruction", 3)),
               in_competition(r, {fmt::format("{:.0f}", process_ms), process_ms})});
    }
    out.print(t);
}

void print_heap(const suite_result &result, printer &out) {
    table t({{.header = ""},
             {.header = "allocations"},
             {.header = "deallocations"},
             {.header = "bytes"},
             {.header = "chunks"}});
    std::set<std::string> done;
    for (const row &r : result.rows) {
        if (!r.counted || !done.insert(r.subject).second) continue;
        const toft_heap_counts &heap = r.counted->heap;
        t.add({{r.subject},
               count_cell(heap.allocations),
               count_cell(heap.deallocations),
               count_cell(heap.bytes),
               r.counted->chunks ? count_cell(r.counted->chunks) : cell{"-"}});
    }
    out.print(t);
}

} // namespace

void print_tree_tables(const suite_result &result, printer &out) {
    const std::uint64_t nodes = nodes_of_tree(result.size);
    out.heading(fmt::format("tree: {} nodes, round 1 (cold memory): CPU ms", with_commas(nodes)));
    print_times(result, 1, out);
    out.heading("tree: round 3 in the same process (memory reused where it was kept): CPU ms");
    print_times(result, 3, out);
    out.text(
        "wall: the total by the wall clock. ÷best: total divided by the least total. An arena is "
        "freed by a reset here, which keeps its memory for the next round.");
    out.heading("tree: the whole process, three rounds");
    print_memory(result, out);
    out.text("give back: destruction at the very end. process: CPU time of the whole process, its "
             "exit included.");
    out.heading("tree: calls of the heap in one round, counted in a run of their own");
    print_heap(result, out);
}

} // namespace toft::lab
