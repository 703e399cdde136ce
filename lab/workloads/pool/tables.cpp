// SPDX-License-Identifier: MIT
#include "tables.hpp"

#include "cases.hpp"
#include "show/cells.hpp"
#include "show/printer.hpp"
#include "subject/suite.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <span>
#include <thread>
#include <utility>

namespace toft::lab {
namespace {

const selection cold{{"pairs"}, 1, 1};
const selection warm{{"pairs"}, first_warm_round, last_pool_round};

// Each subject's row of any of these cases, once.
std::vector<const row *> subjects_of(const suite_result &result, std::span<const pool_case> cases) {
    std::vector<const row *> found;
    for (const pool_case &c : cases)
        for (const row *r : result.rows_of(c.name))
            if (std::none_of(found.begin(), found.end(),
                             [&](const row *seen) { return seen->title() == r->title(); }))
                found.push_back(r);
    return found;
}

// A row for each subject, a column for each case.
void print_matrix(const suite_result &result, const std::string &heading,
                  std::span<const pool_case> cases, const std::function<cell(const row &)> &cell_of,
                  printer &out) {
    const std::vector<const row *> subjects = subjects_of(result, cases);
    if (subjects.empty()) return;
    std::vector<pool_case> measured;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(measured),
                 [&](const pool_case &c) { return !result.rows_of(c.name).empty(); });
    std::vector<column> columns = {{.header = ""}};
    for (const pool_case &c : measured)
        columns.push_back({.header = c.header, .best = best_is::lowest});
    table t(std::move(columns));
    for (const row *like : subjects) {
        std::vector<cell> cells = {{like->title()}};
        for (const pool_case &c : measured) {
            const row *r = result.find(c.name, like->subject, like->allocator);
            cells.push_back(r ? cell_of(*r) : cell{"-"});
        }
        t.add(std::move(cells));
    }
    out.heading(heading);
    out.print(t);
}

bool is_toft(const row &r) { return r.subject.starts_with("toft::"); }

// The fastest malloc, or the fastest of Toft's doors.
const row *fastest(const suite_result &result, const std::string &case_name, bool toft) {
    const row *best = nullptr;
    double best_ns = 0;
    for (const row *r : result.rows_of(case_name)) {
        if (!has_figures(*r) || (toft ? !is_toft(*r) : !r->by_allocator)) continue;
        const double ns = summarise(nanoseconds_per_operation(*r, warm, clock_kind::cpu)).median;
        if (best != nullptr && best_ns <= ns) continue;
        best = r;
        best_ns = ns;
    }
    return best;
}

void print_ratios(const suite_result &result, printer &out) {
    table t({{.header = ""},
             {.header = "is", .group = "fastest malloc"},
             {.header = "ns", .group = "fastest malloc"},
             {.header = "±", .group = "fastest malloc"},
             {.header = "handle", .group = "it, divided by toft::pool"},
             {.header = "shared", .group = "it, divided by toft::pool"},
             {.header = "own", .group = "it, divided by toft::pool"}});
    bool any = false;
    for (const pool_case &c : pool_cases()) {
        const row *best = fastest(result, c.name, false);
        if (best == nullptr || fastest(result, c.name, true) == nullptr) continue;
        any = true;
        const auto over = [&](const char *subject) {
            return ratio_cell(*best, result.find(c.name, subject), warm);
        };
        t.add({{c.title},
               {best->allocator},
               {per_operation_cell(*best, warm).text},
               spread_cell(*best, warm),
               over("toft::pool, handle"),
               over("toft::pool, shared"),
               over("toft::pool, own")});
    }
    if (!any) return;
    out.heading("pool: how much faster than the fastest malloc of each case");
    out.print(t);
}

cell peak_cell(const row &r) {
    if (!has_figures(r)) return {"-"};
    return in_competition(r, mebibytes_cell(median_of(r, &measurement::peak_bytes)));
}

cell wall_cell(const row &r) {
    if (!has_figures(r)) return {"-"};
    const double ns = summarise(nanoseconds_per_operation(r, warm, clock_kind::wall)).median;
    return {fmt::format("{:.1f}", ns), ns};
}

} // namespace

void print_pool_tables(const suite_result &result, printer &out) {
    const std::span<const pool_case> all = pool_cases();
    const auto seed = all.first(6);
    const auto live = all.subspan(6, 7);
    const auto between = all.subspan(13);
    const auto cpu = [](const row &r) { return per_operation_cell(r, warm); };
    print_matrix(result, "pool: seed 4's workload, one live object a thread, CPU ns a pair", seed,
                 cpu, out);
    print_matrix(result,
                 "pool: one live object, and 10,000 live ones freed in order or in random "
                 "order, CPU ns a pair",
                 live, cpu, out);
    print_matrix(result, "pool: between threads, and in containers, CPU ns a pair", between, cpu,
                 out);
    print_matrix(
        result, "pool: the same in the first round, cold", between,
        [](const row &r) { return per_operation_cell(r, cold); }, out);
    print_matrix(result, "pool: the same, wall-clock ns a pair", between, wall_cell, out);
    print_matrix(result, "pool: the same, peak memory in MiB", between, peak_cell, out);
    print_ratios(result, out);
    out.text(fmt::format(
        "A pair is one allocation and its free, with 4 bytes of the object written; in list and "
        "map it is one element's whole life. CPU time of all threads. ×5, ×10: so many threads; "
        "this machine runs {} at once, the others wait.",
        std::thread::hardware_concurrency()));
}

} // namespace toft::lab
