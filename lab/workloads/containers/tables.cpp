// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "programs.hpp"
#include "show/cells.hpp"
#include "subject/suite.hpp"

#include <fmt/format.h>
#include <set>

namespace toft::lab {
namespace {

using phases = std::vector<std::string>;

// Which phases of a case get a column each, and over which rounds.
struct layout {
    phases columns;
    unsigned first_round, last_round;
    std::string unit;
};

layout layout_of(const std::string &case_name) {
    if (case_name.starts_with("seed-list"))
        return {{"build", "steps", "teardown"}, 2, seed_list_rounds, "CPU ms of all threads"};
    if (case_name.starts_with("seed-vector"))
        return {{"pushes"}, 2, container_rounds, "CPU ns for a vector"};
    if (case_name == "pair") return {{"pairs"}, 2, container_rounds, "CPU ns for a pair"};
    if (case_name.starts_with("resource"))
        return {{"allocations"}, 2, container_rounds, "CPU ns for an allocation"};
    return {
        {"build", "churn", "traverse", "teardown"}, 2, container_rounds, "CPU ns for an element"};
}

// The seed's phases have different numbers of operations: a whole round counts, in ms.
cell figure_cell(const row &r, const layout &of, const phases &which) {
    const selection s{which, of.first_round, of.last_round};
    return of.unit.find("ms") == std::string::npos ? per_operation_cell(r, s)
                                                   : milliseconds_cell(r, s);
}

void print_case(const suite_result &result, const bench_case &of, printer &out) {
    const std::vector<const row *> rows = result.rows_of(of.name);
    if (rows.empty()) return;
    const layout l = layout_of(of.name);
    const bool parts = l.columns.size() > 1;
    std::vector<column> columns = {{.header = ""}};
    for (const std::string &phase : l.columns)
        columns.push_back({.header = phase, .best = best_is::lowest});
    if (parts) columns.push_back({.header = "all", .best = best_is::lowest});
    columns.push_back({.header = "±"});
    columns.push_back({.header = "÷arena"});
    columns.push_back({.header = "÷reap"});
    columns.push_back({.header = "heap calls", .group = "one round"});
    columns.push_back({.header = "KiB", .group = "one round"});
    table t(std::move(columns));
    const selection all{l.columns, l.first_round, l.last_round};
    for (const row *r : rows) {
        std::vector<cell> cells = {{r->title()}};
        for (const std::string &phase : l.columns) cells.push_back(figure_cell(*r, l, {phase}));
        if (parts) cells.push_back(figure_cell(*r, l, l.columns));
        cells.push_back(spread_cell(*r, all));
        cells.push_back(ratio_cell(*r, result.find(of.name, "toft::arena"), all));
        cells.push_back(ratio_cell(*r, result.find(of.name, "toft::reap"), all));
        cells.push_back(r->counted ? count_cell(r->counted->heap.allocations) : cell{"-"});
        cells.push_back(r->counted ? count_cell(r->counted->heap.bytes / 1024) : cell{"-"});
        t.add(std::move(cells));
    }
    out.heading(fmt::format("containers: {}, {}", of.title, l.unit));
    out.print(t);
}

} // namespace

void print_container_tables(const suite_result &result, printer &out) {
    for (const bench_case &c : result.of->cases) print_case(result, c, out);
    out.text(
        "Rounds 2 to 5 of a process, each with memory and container made anew; 2 and 3 of the "
        "first experiment's list. CPU time is that of all threads, for each of their "
        "operations. ÷arena, ÷reap: the whole divided by toft::arena's and toft::reap's. buffer, "
        "stack: over a first buffer of one size, from the heap or on the stack. heap calls and "
        "KiB: what a round asks of malloc, counted in a run of its own, in which arenas and reaps "
        "take their chunks from malloc too; the pool takes blocks from the system, unseen.");
}

} // namespace toft::lab
