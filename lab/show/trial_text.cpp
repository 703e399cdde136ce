// SPDX-License-Identifier: MIT
#include "trial_text.hpp"

#include "cells.hpp"
#include "epilogue.hpp"
#include "run/target.hpp"
#include "run/trial_ratios.hpp"
#include "trial_verdict.hpp"

#include <fmt/format.h>
#include <utility>

namespace toft::lab {
namespace {

const selection the_run{{run_phase}, 1, 1};

// "0.88 (0.86 to 0.91)"
cell ratio_of(const suite_result &s, const row &r, clock_kind clock) {
    if (&r == &s.rows.front()) return ran_side_by_side(r) ? cell{"1", 1, 1} : dash;
    if (!has_figures(r) || !has_figures(s.rows.front())) return dash;
    const paired_ratio known = ratio_to_first(s, r, clock);
    if (known.rounds < 3) return dash;
    return {fmt::format("{:.2f} ({:.2f} to {:.2f})", known.ratio, known.between.low,
                        known.between.high),
            known.ratio, known.ratio};
}

cell mebibytes(const row &r, const char *figure) {
    const auto bytes = median_of(r, figure);
    if (!bytes || *bytes <= 0) return dash; // it ended before anybody looked
    return {with_commas(*bytes / (1 << 20), 1), {}, *bytes / (1 << 20)};
}

cell switches(const row &r) {
    const auto waits = median_of(r, waits_figure), preemptions = median_of(r, preemptions_figure);
    return waits && preemptions ? count_cell(whole_number(*waits + *preemptions)) : dash;
}

template <class T>
void append(std::vector<T> &to, std::vector<T> more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::vector<cell> wall_cells(const suite_result &s, const row &r) {
    const std::vector<double> wall = nanoseconds_of_processes(r, the_run, clock_kind::wall);
    return {milliseconds_cell(r, the_run, clock_kind::wall),
            has_figures(r) ? cell{fmt::format("{:.0f}%", summarise(wall).spread * 100)} : dash,
            ratio_of(s, r, clock_kind::wall)};
}

std::vector<cell> other_cells(const suite_result &s, const row &r) {
    const bool any = has_figures(r);
    return {milliseconds_cell(r, the_run, clock_kind::cpu),
            ratio_of(s, r, clock_kind::cpu),
            peak_cell(r),
            any ? mebibytes(r, average_bytes_figure) : dash,
            faults_cell(r),
            any ? switches(r) : dash};
}

std::string how_it_ran(bool side_by_side) {
    return side_by_side
               ? "in each of them every other malloc once, at the same time as the first one and "
                 "on one processor; wall times would say nothing. ms: medians. ÷first: to the "
                 "first row at the same time"
               : "in each of them every malloc once. ms: medians. ÷first: to the first row of "
                 "the same round";
}

} // namespace

shown_table trial_table_of(const suite_result &s) {
    const bool at_once = ran_side_by_side(s.rows.front());
    // No time is the best where the words below the table say that nobody can tell.
    const best_is best_time = tells_no_best(s.conclusion) ? best_is::none : best_is::lowest;
    // Times of another moment may be those of a slower machine.
    const best_is best_of_ms = at_once ? best_is::none : best_time;
    const best_is best_of_ratios = at_once ? best_time : best_is::none;
    std::vector<column> columns = {{.header = ""}};
    if (!at_once)
        append<column>(columns, {{.header = "ms", .group = "wall", .best = best_of_ms},
                                 {.header = "±", .group = "wall"},
                                 {.header = "÷first", .group = "wall"}});
    append<column>(columns, {{.header = "ms", .group = "CPU", .best = best_of_ms},
                             {.header = "÷first", .group = "CPU", .best = best_of_ratios},
                             {.header = "peak", .group = "MiB", .best = best_is::lowest},
                             {.header = "average", .group = "MiB"},
                             {.header = "faults"},
                             {.header = "switches"}});
    table t(std::move(columns));
    for (const row &r : s.rows) {
        std::vector<cell> cells = {{r.allocator}};
        if (!at_once) append(cells, wall_cells(s, r));
        append(cells, other_cells(s, r));
        t.add(std::move(cells));
    }
    shown_table shown{s.summary, s.rows.front().case_name, std::move(t), {}};
    for (const row &r : s.rows) shown.rows.push_back({&r});
    shown.note = fmt::format(
        "{} rounds, {}; in brackets, where it lies, {:.0f} % sure of all of them together. {}*: "
        "best of its column. peak, average: resident memory of the program and what it started, "
        "looked at from outside; what several processes share counts for each. faults: of pages, "
        "minor and major. switches: of context, whether it waited or was preempted.",
        s.rows.front().samples.size(), how_it_ran(at_once), trial_confidence * 100,
        at_once ? "" : "±: interquartile range ÷ median. ");
    return shown;
}

std::vector<std::string> trial_failures(const suite_result &s) {
    std::vector<std::string> failures;
    for (const row &r : s.rows)
        if (!r.problem.empty())
            failures.push_back(fmt::format("Failed: {}: {}.", r.allocator, r.problem));
    return failures;
}

void print_trial(const bench_result &result, printer &out) {
    const suite_result &s = result.suites.front();
    const shown_table shown = trial_table_of(s);
    out.heading(shown.heading);
    out.print(shown.lines);
    out.text(shown.note);
    for (const omission &o : result.left_out)
        out.text(fmt::format("Left out: {}: {}.", o.what, o.why));
    for (const std::string &failure : trial_failures(s)) out.text(failure);
    for (const std::string &warning : result.warnings) out.text("Warning: " + warning);
    if (result.interrupted) out.text(interrupted_words);
    out.heading("In short");
    out.text(s.conclusion);
}

} // namespace toft::lab
