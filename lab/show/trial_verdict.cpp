// SPDX-License-Identifier: MIT
#include "trial_verdict.hpp"

#include "run/trial.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

constexpr std::size_t least_rounds = 3;
constexpr double worth_telling = .05; // of a difference in memory

struct candidate {
    const row *of;
    paired_ratio time;
};

std::vector<double> times_of(const row &r, clock_kind clock) {
    return nanoseconds_of_processes(r, {{run_phase}, 1, 1}, clock);
}

// A sound row other than the first.
bool takes_part(const row &r) { return r.problem.empty() && !r.samples.empty(); }

double confidence_of_each(const suite_result &s) {
    const auto others = static_cast<double>(std::max<std::size_t>(2, s.rows.size()) - 1);
    return 1 - (1 - trial_confidence) / others;
}

// "12 % less", "3 % more"
std::string difference(double ratio) {
    return fmt::format("{:.{}f} % {}", std::abs(ratio - 1) * 100,
                       std::abs(ratio - 1) < .095 ? 1 : 0, ratio < 1 ? "less" : "more");
}

std::string memory_clause(const row &first, const row &best) {
    const double was = median_of(first, &measurement::peak_bytes);
    const double is = median_of(best, &measurement::peak_bytes);
    if (was <= 0 || is <= 0 || std::abs(is / was - 1) < worth_telling) return {};
    return fmt::format(", with {} memory at its peak", difference(is / was));
}

// Those that can't be told from the best.
std::string as_good_as(const std::vector<candidate> &all, const candidate &best, clock_kind clock,
                       double confidence) {
    std::vector<std::string> names;
    for (const candidate &c : all) {
        if (c.of == best.of || !c.time.is_less()) continue;
        const paired_ratio to_best =
            ratio_of_pairs(times_of(*c.of, clock), times_of(*best.of, clock), confidence);
        if (!to_best.is_more()) names.push_back(c.of->allocator);
    }
    if (names.empty()) return {};
    return fmt::format("; {} {} within noise of it", fmt::join(names, " and "),
                       names.size() == 1 ? "is" : "are");
}

std::string what_to_link(const suite_result &s, const std::vector<candidate> &all,
                         clock_kind clock) {
    const row &first = s.rows.front();
    const char *time = clock == clock_kind::cpu ? "CPU time" : "wall time";
    const candidate &best =
        *std::min_element(all.begin(), all.end(), [](const candidate &a, const candidate &b) {
            return a.time.ratio < b.time.ratio;
        });
    if (best.time.is_less())
        return fmt::format(
            "Link {}: {} takes {} {} with it than with {} ({} to {}), which is beyond "
            "noise{}{}.",
            best.of->allocator, first.subject, difference(best.time.ratio), time, first.allocator,
            difference(best.time.between.high), difference(best.time.between.low),
            memory_clause(first, *best.of), as_good_as(all, best, clock, confidence_of_each(s)));
    return fmt::format("Stay with {}: no other malloc takes less {} beyond noise; the nearest, {}, "
                       "takes {} to {}.",
                       first.allocator, time, best.of->allocator, difference(best.time.between.low),
                       difference(best.time.between.high));
}

} // namespace

paired_ratio ratio_to_first(const suite_result &s, const row &r, clock_kind clock) {
    return ratio_of_pairs(times_of(r, clock), times_of(s.rows.front(), clock),
                          confidence_of_each(s));
}

std::string trial_verdict(const suite_result &s, clock_kind decides, double precision) {
    const row &first = s.rows.front();
    if (!takes_part(first))
        return fmt::format("Nothing to compare with: {} failed.", first.allocator);
    std::vector<candidate> all;
    double widest = 0;
    for (const row &r : s.rows) {
        if (&r == &first || !takes_part(r)) continue;
        all.push_back({&r, ratio_to_first(s, r, decides)});
        widest = std::max(widest, all.back().time.precision());
    }
    if (all.empty()) return fmt::format("Stay with {}: no other malloc worked.", first.allocator);
    if (first.samples.size() < least_rounds)
        return fmt::format("Nothing can be said after fewer than {} rounds.", least_rounds);
    std::string text = what_to_link(s, all, decides);
    if (widest > precision * 1.5)
        text += fmt::format(" The ratios are known within {:.0f} % only, after {} rounds: more "
                            "--max-time, or a quieter machine, says it more surely.",
                            std::ceil(widest * 100), first.samples.size());
    return text;
}

} // namespace toft::lab
