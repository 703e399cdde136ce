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

shown_table table_of(const suite_result &s, const bench_case &c,
                     const std::vector<const row *> &rows) {
    const std::vector<figure> figures = figures_of_case(rows);
    shown_table shown{fmt::format("{}: {}, CPU ns for each operation", s.name, c.title),
                      c.name,
                      table(columns_for(figures)),
                      {}};
    for (const row *r : rows) {
        std::vector<cell> cells = {{r->title()}};
        for (const figure &f : figures) {
            cells.push_back(per_operation_cell(*r, f.of));
            cells.push_back(spread_cell(*r, f.of));
        }
        cells.push_back(peak_cell(*r));
        shown.lines.add(std::move(cells));
        shown.rows.push_back({r});
    }
    return shown;
}

} // namespace

std::vector<shown_table> figure_tables_of(const suite_result &s) {
    std::vector<shown_table> tables;
    for (const bench_case &c : s.cases)
        if (const auto rows = s.rows_of(c.name); !rows.empty())
            tables.push_back(table_of(s, c, rows));
    return tables;
}

} // namespace toft::lab
