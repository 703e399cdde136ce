// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "measure.hpp"
#include "show/cells.hpp"
#include "subject/suite.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace toft::lab {
namespace {

const selection fresh{{"fresh"}, 1, 1};
const selection reused{{"reused"}, first_reused_round, last_reused_round};
const selection freed{{"free"}, 1, 1};
const selection looped{{"loop"}, 1, loop_rounds};

bool print_bulk(const suite_result &result, const bench_case &of, printer &out) {
    const std::vector<const row *> rows = result.rows_of(of.name);
    if (rows.empty()) return false;
    const row *raw = result.find(of.name, raw_subject);
    table t({{.header = ""},
             {.header = "ns", .group = "fresh", .best = best_is::lowest},
             {.header = "±", .group = "fresh"},
             {.header = "/µs", .group = "fresh"},
             {.header = "÷raw", .group = "fresh"},
             {.header = "ns", .group = "reused", .best = best_is::lowest},
             {.header = "±", .group = "reused"},
             {.header = "/µs", .group = "reused"},
             {.header = "÷raw", .group = "reused"},
             {.header = "ns", .group = "free", .best = best_is::lowest},
             {.header = "MiB", .group = "peak", .best = best_is::lowest}});
    for (const row *r : rows) {
        cell peak =
            has_figures(*r) ? mebibytes_cell(median_of(*r, &measurement::peak_bytes)) : cell{"-"};
        t.add({{r->title()},
               per_operation_cell(*r, fresh),
               spread_cell(*r, fresh),
               {per_microsecond_cell(*r, fresh).text},
               ratio_cell(*r, raw, fresh),
               per_operation_cell(*r, reused),
               spread_cell(*r, reused),
               {per_microsecond_cell(*r, reused).text},
               ratio_cell(*r, raw, reused),
               per_operation_cell(*r, freed),
               in_competition(*r, std::move(peak))});
    }
    out.heading(
        fmt::format("arena: {} objects of {}, per allocation", with_commas(result.size), of.title));
    out.print(t);
    return true;
}

struct brief_cells {
    cell ns, spread, ratio;
};

brief_cells cells_of(const suite_result &result, const std::string &case_name, const row &like) {
    const row *r = result.find(case_name, like.subject, like.allocator);
    if (!r) return {{"-"}, {"-"}, {"-"}};
    return {per_operation_cell(*r, looped), spread_cell(*r, looped),
            ratio_cell(*r, result.find(case_name, raw_subject), looped)};
}

// One row for a subject, whichever of the three cases it has.
std::vector<const row *> rows_with_brief_cases(const suite_result &result) {
    std::vector<const row *> rows;
    for (const char *name : {"hot", "request", "one"})
        for (const row *r : result.rows_of(name))
            if (std::none_of(rows.begin(), rows.end(),
                             [&](const row *seen) { return seen->title() == r->title(); }))
                rows.push_back(r);
    return rows;
}

void print_brief(const suite_result &result, printer &out) {
    const std::vector<const row *> rows = rows_with_brief_cases(result);
    if (rows.empty()) return;
    std::vector<column> columns = {{.header = ""}};
    for (const char *name : {"hot", "request", "one"}) {
        columns.push_back({.header = "ns", .group = name, .best = best_is::lowest});
        columns.push_back({.header = "±", .group = name});
        columns.push_back({.header = "÷raw", .group = name});
    }
    table t(std::move(columns));
    for (const row *r : rows) {
        std::vector<cell> cells = {{r->title()}};
        for (const char *name : {"hot", "request", "one"}) {
            brief_cells three = cells_of(result, name, *r);
            cells.insert(cells.end(),
                         {std::move(three.ns), std::move(three.spread), std::move(three.ratio)});
        }
        t.add(std::move(cells));
    }
    out.heading("arena: short lives in a warm cache, per allocation");
    out.print(t);
    out.text(
        "hot: 1000 × 8 bytes, then a reset, in a loop. request: an arena made, 100 × 32 bytes, "
        "released, in a loop. one: an arena made, 1 × 64 bytes, released, in a loop.");
}

} // namespace

void print_arena_tables(const suite_result &result, printer &out) {
    bool any_bulk = false;
    for (const bench_case &c : result.of->cases)
        if (is_bulk(c.name)) any_bulk |= print_bulk(result, c, out);
    if (any_bulk)
        out.text(
            "fresh: a new region filled, cold memory. reused: filled again and reset, or every "
            "object freed. free: a full region released, or every object freed. ÷raw: divided by "
            "moving a raw pointer through memory on huge pages (a static buffer for short lives). "
            "Each object's first 8 bytes are written.");
    print_brief(result, out);
}

} // namespace toft::lab
