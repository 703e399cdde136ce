// SPDX-License-Identifier: MIT
#include "replay_text.hpp"

#include "cells.hpp"
#include "epilogue.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

constexpr double mebibyte = 1 << 20;
constexpr std::size_t least_rounds = 3;

std::string title_of(const predicted_row &r) {
    return r.subject == as_recorded ? r.allocator : fmt::format("{} ({})", r.allocator, r.subject);
}

// "12.3 (11.9 to 14.0)"
cell with_range(const range &r, double unit, int digits) {
    return {fmt::format("{} ({} to {})", with_commas(r.middle / unit, digits),
                        with_commas(r.low / unit, digits), with_commas(r.high / unit, digits)),
            r.middle, r.middle / unit};
}

std::string percent(double share) { return fmt::format("{:+.1f}%", share * 100); }

// The figures by which a malloc is named as the best: as they are printed, so that two that look
// alike are a tie, in the table as in the sentence below it.
double shown_change(const range &r) { return std::stod(fmt::format("{:.1f}", r.middle * 100)); }
double shown_ratio(const range &r) { return std::stod(fmt::format("{:.2f}", r.middle)); }

// Pages draw bars of the whole program's time, since a change may be less than nothing.
cell change_cell(const std::optional<range> &r) {
    if (!r) return dash;
    return {fmt::format("{} ({} to {})", percent(r->middle), percent(r->low), percent(r->high)),
            shown_change(*r), 1 + r->middle};
}

cell ratio_cell(const range &r) {
    cell made = with_range(r, 1, 2);
    made.value = shown_ratio(r);
    return made;
}

table table_of(const predicted_rows &rows) {
    table t({{.header = ""},
             {.header = "CPU ms", .group = "heap work"},
             {.header = "÷first", .group = "heap work", .best = best_is::lowest},
             {.header = "peak MiB", .group = "heap work", .best = best_is::lowest},
             {.header = "CPU",
              .group = "whole program, predicted",
              .best = best_is::lowest,
              .exact_unit = "times the first row"},
             {.header = "peak MiB", .group = "whole program, predicted"}});
    for (const predicted_row &r : rows) {
        if (!r.problem.empty() || r.rounds == 0) {
            t.add({{title_of(r)}, dash, dash, dash, dash, dash});
            continue;
        }
        const bool first = &r == &rows.front();
        t.add({{title_of(r)},
               with_range(r.heap_cpu_ns, 1e6, 2),
               first ? cell{"1", 1, 1} : ratio_cell(r.heap_ratio),
               with_range(r.heap_peak_bytes, mebibyte, 1),
               first && r.program_change ? cell{"0%", 0, 1} : change_cell(r.program_change),
               r.program_peak_bytes ? with_range(*r.program_peak_bytes, mebibyte, 1) : dash});
    }
    return t;
}

std::string counts_of(const compiled_counts &c) {
    std::string text = fmt::format(
        "Replayed: {} allocations, {} resizes and {} frees on {} thread{}, at most {:.1f} MiB "
        "asked for at once.",
        with_commas(c.allocations), with_commas(c.resizes), with_commas(c.frees), c.threads,
        c.threads == 1 ? "" : "s", static_cast<double>(c.peak_live_bytes) / mebibyte);
    if (c.unknown_frees + c.unknown_resizes != 0)
        text += fmt::format(" {} frees and {} resizes are of objects whose allocation isn't in the "
                            "recording: those frees are left out, those resizes are allocations "
                            "here.",
                            with_commas(c.unknown_frees), with_commas(c.unknown_resizes));
    if (c.lost_frees != 0)
        text += fmt::format(" {} frees were not recorded; they are made when the next object gets "
                            "the address.",
                            with_commas(c.lost_frees));
    return text;
}

std::string placed_counts_of(const compiled_counts &c) {
    std::string text = "Placed: " + counted(c.placed, "object");
    if (c.arena_resets != 0) text += "; their arenas are reset " + counted(c.arena_resets, "time");
    text += '.';
    if (c.moved_out != 0)
        text += fmt::format(" {} were resized by a thread that isn't their arena's, and moved to "
                            "the heap.",
                            with_commas(c.moved_out));
    return text;
}

// Below this share of the program, a gain is none.
constexpr double worth_telling = .005;

// Whether it takes less than the first row in every model of touching.
bool gains_for_sure(const predicted_row &r, bool program_is_known) {
    if (!r.problem.empty() || r.rounds < least_rounds) return false;
    if (!program_is_known) return r.heap_ratio.high < 1;
    return r.program_change && r.program_change->high <= -worth_telling;
}

// By what is printed and gets the asterisk, the least is the best.
double shown_figure(const predicted_row &r, bool program_is_known) {
    return program_is_known ? shown_change(*r.program_change) : shown_ratio(r.heap_ratio);
}

// The best of those that gain for sure: several where their printed figures are equal.
std::vector<const predicted_row *> best_of(const predicted_rows &rows, bool program_is_known) {
    std::vector<const predicted_row *> best;
    for (const predicted_row &r : rows) {
        if (&r == &rows.front() || !gains_for_sure(r, program_is_known)) continue;
        const double own = shown_figure(r, program_is_known);
        const double least = best.empty() ? own : shown_figure(*best.front(), program_is_known);
        if (own < least) best.clear();
        if (own <= least) best.push_back(&r);
    }
    return best;
}

// ", and so would jemalloc": the others of a tie.
std::string tied_with(const std::vector<const predicted_row *> &best, const char *and_so) {
    std::vector<std::string> others;
    for (std::size_t i = 1; i < best.size(); ++i) others.push_back(title_of(*best[i]));
    if (others.empty()) return {};
    return fmt::format(", and so {} {}", and_so, fmt::join(others, ", "));
}

// Who has the asterisk though it may gain nothing, so that the sentence names another.
std::string unsure_winner(const predicted_rows &rows, const predicted_row &best,
                          bool program_is_known) {
    const double least = shown_figure(best, program_is_known);
    for (const predicted_row &r : rows)
        if (&r != &rows.front() && r.problem.empty() && r.rounds >= least_rounds &&
            (!program_is_known || r.program_change) && shown_figure(r, program_is_known) < least)
            return fmt::format(" {} may take still less, but not for sure.", title_of(r));
    return {};
}

// What can be said where the program's own cost isn't known.
std::string heap_work_in_short(const predicted_rows &rows, const program_cost &program) {
    const predicted_row &first = rows.front();
    const std::vector<const predicted_row *> best = best_of(rows, false);
    const std::string of_heap =
        !best.empty()
            ? fmt::format("{} does this heap work in {:.2f} times the CPU time of {}{}.{}",
                          title_of(*best.front()), best.front()->heap_ratio.middle, first.allocator,
                          tied_with(best, best.size() == 2 ? "does" : "do"),
                          unsure_winner(rows, *best.front(), false))
            : fmt::format("No other does this heap work in less CPU time than {} for sure.",
                          first.allocator);
    return fmt::format("{} What that is of the whole program isn't known: {}.", of_heap,
                       program.problem.empty() ? "give --program-cpu, or the program after --"
                                               : program.problem);
}

std::string title_of(const row &r) {
    return r.case_name == start_case ? "a program that does nothing, under " + r.allocator
                                     : r.subject;
}

} // namespace

std::vector<std::string> replay_failures(const suite_result &s, const predicted_rows &predicted) {
    std::vector<std::string> failures;
    const auto tell = [&](const std::string &title, const std::string &problem) {
        if (!problem.empty()) failures.push_back(fmt::format("Failed: {}: {}.", title, problem));
    };
    for (const predicted_row &r : predicted) tell(title_of(r), r.problem);
    for (const row &r : s.rows)
        if (r.case_name == start_case || r.case_name == program_case) tell(title_of(r), r.problem);
    return failures;
}

std::string replay_in_short(const predicted_rows &rows, const program_cost &program) {
    const predicted_row &first = rows.front();
    if (!first.problem.empty()) return "Nothing to compare with: the first malloc failed.";
    if (std::any_of(rows.begin(), rows.end(), [](const predicted_row &r) {
            return r.problem.empty() && r.rounds < least_rounds;
        }))
        return fmt::format("Nothing can be said after fewer than {} rounds.", least_rounds);
    const bool is_known = program.cpu_ns.has_value();
    const std::string of_program =
        is_known ? fmt::format("Heap work is about {:.1f} % of the program's CPU time{}. ",
                               first.heap_cpu_ns.middle / *program.cpu_ns * 100,
                               program.is_estimate ? ", which is estimated from the recording" : "")
                 : "";
    if (rows.size() == 1)
        return fmt::format("{}Nothing to compare with: {} is the only malloc here.", of_program,
                           first.allocator);
    if (!is_known) return heap_work_in_short(rows, program);
    const std::vector<const predicted_row *> best = best_of(rows, true);
    if (best.empty())
        return fmt::format("{}Stay with {}: no other gains more than {:.1f} % for sure.",
                           of_program, first.allocator, worth_telling * 100);
    const range &change = *best.front()->program_change;
    return fmt::format("{}{} would take {:.1f} % less CPU time ({:.1f} to {:.1f} %){}.{}",
                       of_program, title_of(*best.front()), -change.middle * 100,
                       -change.high * 100, -change.low * 100, tied_with(best, "would"),
                       unsure_winner(rows, *best.front(), true));
}

shown_table replay_table_of(const suite_result &s, const program_cost &program) {
    const predicted_rows rows = predict(s, program);
    shown_table shown{s.summary, {}, table_of(rows), {}};
    for (const predicted_row &r : rows) {
        std::vector<const row *> &of_line = shown.rows.emplace_back();
        for (const row &own : s.rows)
            if (own.subject == r.subject && own.allocator == r.allocator) of_line.push_back(&own);
    }
    shown.note = fmt::format(
        "{}. First the median with all of the objects touched; in brackets, where the "
        "middle half of the rounds lies over all models: objects not touched, the first 16 bytes "
        "of each, or all of it. The replayer's own time is taken off.",
        counted(s.rows.front().samples.size(), "round"));
    return shown;
}

void print_replay(const bench_result &result, const compiled_recordings &programs,
                  const program_cost &program, printer &out) {
    const suite_result &s = result.suites.front();
    const shown_table shown = replay_table_of(s, program);
    out.heading(shown.heading);
    out.print(shown.lines);
    out.text(shown.note);
    out.text(counts_of(programs.recorded.counts));
    if (programs.placed) out.text(placed_counts_of(programs.placed->counts));
    for (const omission &o : result.left_out)
        out.text(fmt::format("Left out: {}: {}.", o.what, o.why));
    for (const std::string &failure : replay_failures(s, predict(s, program))) out.text(failure);
    for (const std::string &warning : result.warnings) out.text("Warning: " + warning);
    if (result.interrupted) out.text(interrupted_words);
    out.heading("In short");
    out.text(s.conclusion);
}

} // namespace toft::lab
