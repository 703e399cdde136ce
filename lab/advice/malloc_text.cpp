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

std::string way_to(const malloc_gain &m, const char *link, const char *run) {
    return m.setting.empty() ? fmt::format("{} {}", link, m.name)
                             : fmt::format("{} it with {}", run, m.setting);
}

std::string words_on_best(const std::vector<malloc_gain> &mallocs) {
    const malloc_gain &best = mallocs.front();
    std::vector<std::string> even;
    for (std::size_t i = 1; i != mallocs.size(); ++i)
        if (may_be_even(best, mallocs[i])) even.push_back(mallocs[i].name);
    return fmt::format(
        "{} alone gains {} of CPU time, peak memory {}.{}", way_to(best, "Linking", "Running"),
        percents(best.cpu_percent), change_of_peak(best.peak_percent),
        even.empty() ? ""
                     : fmt::format(" {} don't tell it from {}.", best.measured ? "Runs" : "Replays",
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

malloc_words words_on_mallocs(const advice_report &report) {
    malloc_words words;
    const std::vector<malloc_gain> &all = report.mallocs;
    if (!report.replay_left_out.empty())
        words.left_out =
            fmt::format("{}: {}.",
                        all.empty() ? "What linking another malloc alone gains isn't known"
                                    : "No change was replayed",
                        report.replay_left_out);
    if (all.empty()) return words;
    const bool is_first_told = all.front().cpu_percent.low > 0;
    words.best = fmt::format(
        "{}{}", are_measured(all) ? "The program was run under each malloc. " : "",
        is_first_told ? words_on_best(all) : "No other malloc alone gains CPU time for sure.");
    std::vector<std::string> others;
    for (std::size_t i = is_first_told ? 1 : 0; i != all.size(); ++i)
        others.push_back(words_on_other(all[i]));
    if (!others.empty())
        words.others = fmt::format("CPU time under other mallocs: {}.", fmt::join(others, ", "));
    for (const malloc_gain &m : all)
        words.rows.push_back({m.name, m.setting.empty() ? "" : way_to(m, "Link", "Run"),
                              change(m.cpu_percent), change_of_peak(m.peak_percent)});
    return words;
}

std::string promise_of_malloc(const advice_report &report) {
    const malloc_gain &best = report.mallocs.front();
    const malloc_gain *smaller = as_good_and_smaller(report.mallocs);
    const bool was_run = std::ranges::any_of(
        report.lines, [](const advice &a) { return a.replayed && a.replayed->in_program; });
    return fmt::format("{}{}: that alone promises {} any change that was found{}",
                       way_to(best, "Link", "Run"),
                       smaller ? fmt::format(" ({} for less memory)", smaller->name) : "",
                       report.malloc_beyond_all ? "more than" : "as much as",
                       best.measured && !was_run && !report.malloc_beyond_all
                           ? ", but no change was run in the program"
                           : "");
}

} // namespace toft::lab
