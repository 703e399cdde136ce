// SPDX-License-Identifier: MIT
#include "malloc_text.hpp"

#include "gain_text.hpp"
#include "weighing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

std::string way_to(const malloc_gain &m) {
    return m.setting.empty() ? "Linking " + m.name : "Running it with " + m.setting;
}

std::string words_on_best(const std::vector<malloc_gain> &mallocs) {
    const malloc_gain &best = mallocs.front();
    std::vector<std::string> even;
    for (std::size_t i = 1; i != mallocs.size(); ++i)
        if (may_be_even(best, mallocs[i])) even.push_back(mallocs[i].name);
    return fmt::format("{} alone gains {} of CPU time, peak memory {}.{}", way_to(best),
                       percents(best.cpu_percent), change_of_peak(best.peak_percent),
                       even.empty() ? ""
                                    : fmt::format(" {} don't tell it from {}.",
                                                  best.measured ? "Runs" : "Replays",
                                                  fmt::join(even, ", nor from ")));
}

// "mimalloc 2.4 to 9.4 % less (peak memory 10 % less)"
std::string words_on_other(const malloc_gain &m) {
    const bool same_peak =
        std::abs(m.peak_percent.low) < least_shown && std::abs(m.peak_percent.high) < least_shown;
    return fmt::format(
        "{} {}{}", m.name, change(m.cpu_percent),
        same_peak ? "" : fmt::format(" (peak memory {})", change_of_peak(m.peak_percent)));
}

} // namespace

bool are_measured(const std::vector<malloc_gain> &mallocs) {
    return !mallocs.empty() && mallocs.front().measured;
}

void print_mallocs(const advice_report &report, printer &out) {
    if (report.mallocs.empty()) {
        if (!report.replay_left_out.empty())
            out.text(fmt::format("What linking another malloc alone gains isn't known: {}.",
                                 report.replay_left_out));
        return;
    }
    const bool is_first_told = report.mallocs.front().cpu_percent.low > 0;
    out.text(fmt::format(
        "{}{}", are_measured(report.mallocs) ? "The program was run under each malloc. " : "",
        is_first_told ? words_on_best(report.mallocs)
                      : "No other malloc alone gains CPU time for sure."));
    std::vector<std::string> others;
    for (std::size_t i = is_first_told ? 1 : 0; i != report.mallocs.size(); ++i)
        others.push_back(words_on_other(report.mallocs[i]));
    if (!others.empty())
        out.text(fmt::format("CPU time under other mallocs: {}.", fmt::join(others, ", ")));
    if (!report.replay_left_out.empty())
        out.text(fmt::format("No change was replayed: {}.", report.replay_left_out));
}

std::string promise_of_malloc(const advice_report &report) {
    if (report.malloc_beyond_all) return "that alone promises more than any change that was found";
    const bool was_run = std::ranges::any_of(
        report.lines, [](const advice &a) { return a.replayed && a.replayed->in_program; });
    return fmt::format(
        "that alone promises as much as any change that was found{}",
        are_measured(report.mallocs) && !was_run ? ", but no change was run in the program" : "");
}

} // namespace toft::lab
