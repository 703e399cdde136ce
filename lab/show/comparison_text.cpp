// SPDX-License-Identifier: MIT
#include "comparison_text.hpp"

#include "cells.hpp"
#include "result/call_changes.hpp"
#include "result/result_json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string>

namespace toft::lab {
namespace {

std::string words_of(clock_kind clock) { return clock == clock_kind::cpu ? "CPU" : "wall"; }

std::string time_of(double ns) { return with_commas(ns, 2); }

// "1.52 (1.47 to 1.60)"
std::string ratio_of(const compared_figure &f) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", f.ratio, f.between.low, f.between.high);
}

std::string word_for(const compared_figure &f) {
    if (f.called == change::unsure) return f.why;
    if (f.called != change::none) return to_string(f.called);
    return f.role == row_role::control ? "control" : "";
}

// All that tells the figure from others: where a table is cut, each part has it.
std::string key_of(const compared_figure &f) {
    return fmt::format("{} {}, {}: {}, {}, {}", f.suite, f.case_name, f.row, f.phase,
                       to_string(f.rounds), words_of(f.clock));
}

table figures_of(const comparison &c, bool all) {
    table t({{.header = ""},
             {.header = "old ns"},
             {.header = "new ns"},
             {.header = "ratio (99 %)"},
             {.header = ""}});
    for (const compared_figure &f : c.figures) {
        if (!all && f.called != change::faster && f.called != change::slower) continue;
        const bool unsure = f.called == change::unsure;
        t.add({{key_of(f)},
               {time_of(f.old_ns)},
               {time_of(f.new_ns)},
               {unsure ? "-" : ratio_of(f)},
               {word_for(f)}});
    }
    return t;
}

std::string percent(double ratio) { return fmt::format("{:.0f} %", std::ceil((ratio - 1) * 100)); }

// Cases whose judged rows have to say themselves what is shared.
std::set<std::string> cases_without_controls(const comparison &c, const std::string &suite) {
    std::set<std::string> judged, without;
    for (const compared_figure &f : c.figures)
        if (f.suite == suite && f.role == row_role::judged && f.visible != 0)
            judged.insert(f.case_name);
    for (const compared_case &of : c.cases)
        if (of.suite == suite && of.clock == clock_kind::cpu && of.controls == 0 &&
            judged.contains(of.case_name))
            without.insert(of.case_name);
    return without;
}

std::string what_is_shared(const comparison &c, const compared_suite &s) {
    const std::string unseen =
        fmt::format("so a common change of up to {} can't be told from a slower or faster machine",
                    percent(most_shared_without_controls));
    if (s.controls == 0) {
        const bool any = std::any_of(c.figures.begin(), c.figures.end(), [&](const auto &f) {
            return f.suite == s.suite && f.role == row_role::control;
        });
        return fmt::format(" It has {}, {}; {:.2f} was taken off.",
                           any ? "too few controls in each case" : "no controls", unseen, s.shared);
    }
    std::string text = fmt::format(" Its {} controls together take {:.2f} times what they took; "
                                   "the other rows, after that is taken off, {:.2f} times.",
                                   s.controls, s.shared, s.judged);
    const std::set<std::string> without = cases_without_controls(c, s.suite);
    if (!without.empty())
        text +=
            fmt::format(" Too few controls are in {}, {} there.", fmt::join(without, ", "), unseen);
    return text;
}

// What could have been seen in a suite at all, and what its rows have in common.
std::string describe(const comparison &c, const compared_suite &s) {
    if (s.visible == 0) return fmt::format("{}: no row could be judged.", s.suite);
    std::string text =
        fmt::format("{}: in CPU time, a change of {} would have been seen in most rows", s.suite,
                    percent(s.visible));
    text += s.visible_in_all > s.visible
                ? fmt::format(", and one of {} in every row (the least sure: {}).",
                              percent(s.visible_in_all), s.least_sure)
                : ", and in every row.";
    text += what_is_shared(c, s);
    if (s.shared >= most_shared * .999 || s.shared <= 1.001 / most_shared)
        text += " No more than that is taken off: the machine, or the whole build, is another one.";
    if (s.not_judged != 0) text += fmt::format(" Of {} rows nothing can be told.", s.not_judged);
    return text;
}

std::string sum_of(const comparison &c) {
    const auto count = [&](change which) {
        return std::count_if(c.figures.begin(), c.figures.end(), [&](const compared_figure &f) {
            return f.role != row_role::control && f.called == which;
        });
    };
    const auto controls =
        std::count_if(c.figures.begin(), c.figures.end(),
                      [](const compared_figure &f) { return f.role == row_role::control; });
    return fmt::format("{} figures compared: {} slower, {} faster, {} within noise; {} can't be "
                       "told. {} figures of controls.",
                       count(change::slower) + count(change::faster) + count(change::none),
                       count(change::slower), count(change::faster), count(change::none),
                       count(change::unsure), controls);
}

std::string unmatched_in(const comparison &c) {
    if (c.unmatched.empty()) return {};
    return fmt::format("{} {} in one of the files only.", counted(c.unmatched.size(), "row"),
                       c.unmatched.size() == 1 ? "is" : "are");
}

std::vector<std::string> not_judged_in(const comparison &c, bool all) {
    constexpr std::size_t most_named = 10;
    const std::size_t named = all ? c.not_judged.size() : std::min(most_named, c.not_judged.size());
    std::vector<std::string> said;
    for (std::size_t i = 0; i != named; ++i) said.push_back(c.not_judged[i] + ".");
    if (named != c.not_judged.size())
        said.push_back(fmt::format("And {} more: compare --all names them.",
                                   with_commas(c.not_judged.size() - named)));
    return said;
}

} // namespace

comparison_words words_of(const comparison &c, bool all) {
    comparison_words words{figures_of(c, all),   {}, {}, sum_of(c), unmatched_in(c),
                           not_judged_in(c, all)};
    words.note =
        "ns: for each operation, medians. ratio: new ÷ old, after what the controls share is "
        "taken off; in brackets, where it lies with 99 % confidence for all figures together.";
    for (const compared_suite &suite : c.suites) words.suites.push_back(describe(c, suite));
    return words;
}

void print_comparison(const comparison &c, bool all, printer &out) {
    const comparison_words words = words_of(c, all);
    out.heading("Compared");
    for (const std::string &difference : c.differences) out.text("Warning: " + difference);
    if (!words.figures.lines().empty()) {
        out.print(words.figures);
        out.text(words.note);
    }
    for (const std::string &said : words.suites) out.text(said);
    out.text(words.sum);
    if (!words.unmatched.empty()) out.text(words.unmatched);
    for (const std::string &said : words.not_judged) out.text(said);
}

void print_bound(const comparison &c, double bound_percent, printer &out) {
    const bound_verdict said = judge_bound(c, bound_percent);
    if (said == bound_verdict::exceeded)
        out.text(fmt::format("Bound of {:g} %: exceeded; the worst row takes {:.2f} times what it "
                             "took.",
                             bound_percent, c.worst()));
    if (said == bound_verdict::kept) out.text(fmt::format("Bound of {:g} %: kept.", bound_percent));
    if (said == bound_verdict::cannot_tell && !c.not_judged.empty())
        out.text(fmt::format("Bound of {:g} %: can't tell. Nothing is known of {}: see above.",
                             bound_percent, counted(c.not_judged.size(), "judged row")));
    else if (said == bound_verdict::cannot_tell)
        out.text(fmt::format("Bound of {:g} %: can't tell. A change of that size could have stayed "
                             "unseen; more --repetitions, or a quieter machine, show smaller ones.",
                             bound_percent));
}

} // namespace toft::lab
