// SPDX-License-Identifier: MIT
#include "figure_tables.hpp"

#include "cells.hpp"
#include "result/figures.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

// All rows of a case have the same phases, unless they failed early.
std::vector<figure> figures_of_case(const std::vector<const row *> &rows) {
    std::vector<figure> most;
    for (const row *r : rows)
        if (std::vector<figure> found = figures_of(*r); found.size() > most.size())
            most = std::move(found);
    return most;
}

std::vector<column> columns_for(const std::vector<figure> &figures) {
    std::vector<column> columns = {{.header = ""}};
    for (const figure &f : figures) {
        const std::string rounds = f.rounds == which_rounds::first ? "first round" : "later rounds";
        columns.push_back({.header = f.phase, .group = rounds, .best = best_is::lowest});
        columns.push_back({.header = "±", .group = rounds});
    }
    columns.push_back({.header = "MiB", .group = "peak", .best = best_is::lowest});
    return columns;
}

void print_case(const suite_result &s, const bench_case &c, printer &out) {
    const std::vector<const row *> rows = s.rows_of(c.name);
    if (rows.empty()) return;
    const std::vector<figure> figures = figures_of_case(rows);
    table t(columns_for(figures));
    for (const row *r : rows) {
        std::vector<cell> cells = {{r->title()}};
        for (const figure &f : figures) {
            cells.push_back(per_operation_cell(*r, f.of));
            cells.push_back(spread_cell(*r, f.of));
        }
        cells.push_back(peak_cell(*r));
        t.add(std::move(cells));
    }
    out.heading(fmt::format("{}: {}, CPU ns for each operation", s.name, c.title));
    out.print(t);
}

} // namespace

void print_figures(const suite_result &s, printer &out) {
    for (const bench_case &c : s.cases) print_case(s, c, out);
}

} // namespace toft::lab
