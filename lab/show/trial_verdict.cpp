// SPDX-License-Identifier: MIT
#include "trial_verdict.hpp"

#include "run/trial_ratios.hpp"
#include "warnings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

constexpr std::size_t least_rounds = 3;
constexpr double worth_telling = .05;  // of a difference in memory
constexpr double worth_a_change = .02; // of a difference in time
constexpr const char *by_the_cpu =
    "a quieter machine, or, for a program of one thread, --side-by-side";

struct candidate {
    const row *of;
    paired_ratio time;
};

// All of those with an interval below 1 come before the others: a small ratio that nobody knows
// well doesn't hide a gain that is sure.
bool is_better(const candidate &a, const candidate &b) {
    if (a.time.is_less() != b.time.is_less()) return a.time.is_less();
    return a.time.ratio < b.time.ratio;
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
std::string as_good_as(const suite_result &s, const std::vector<candidate> &all,
                       const candidate &best, clock_kind clock) {
    std::vector<std::string> names;
    for (const candidate &c : all) {
        if (c.of == best.of || !c.time.is_less()) continue;
        if (!ratio_of_rows(s, *c.of, *best.of, clock).is_more()) names.push_back(c.of->allocator);
    }
    if (names.empty()) return {};
    return fmt::format("; {} {} within noise of it", fmt::join(names, " and "),
                       names.size() == 1 ? "is" : "are");
}

// "Link mimalloc", "Run it with GLIBC_TUNABLES=..."
std::string how_to_have(const bench_result &result, const row &r) {
    const auto found = std::find_if(result.allocators.begin(), result.allocators.end(),
                                    [&](const allocator &a) { return a.name == r.allocator; });
    if (found == result.allocators.end()) return "Link " + r.allocator;
    return way_to_have(*found);
}

std::string what_to_link(const bench_result &result, const std::vector<candidate> &all,
                         clock_kind clock) {
    const suite_result &s = result.suites.front();
    const row &first = s.rows.front();
    const char *time = clock == clock_kind::cpu ? "CPU time" : "wall time";
    const candidate &best = *std::min_element(all.begin(), all.end(), is_better);
    if (best.time.is_less()) {
        const bool is_small = best.time.ratio > 1 - worth_a_change;
        return fmt::format(
            "{}: {} takes {} {} with {} than with {} ({} to {}), which is beyond noise{}{}.",
            is_small ? "Hardly worth a change" : how_to_have(result, *best.of), first.subject,
            difference(best.time.ratio), time, is_small ? best.of->allocator : "it",
            first.allocator, difference(best.time.between.high), difference(best.time.between.low),
            memory_clause(first, *best.of), as_good_as(s, all, best, clock));
    }
    return fmt::format("Stay with {}: no other malloc takes less {} beyond noise; the nearest, {}, "
                       "takes {} to {}.",
                       first.allocator, time, best.of->allocator, difference(best.time.between.low),
                       difference(best.time.between.high));
}

// A ratio that is known within half of it only recommends nothing, and rules nothing out, unless it
// is a loss all the same.
std::string what_is_sure(const bench_result &result, std::vector<candidate> all, clock_kind clock) {
    constexpr double too_wide = .5;
    const std::size_t noisy = std::erase_if(all, [](const candidate &c) {
        return c.time.precision() >= too_wide && !c.time.is_more();
    });
    const bool any_gains =
        std::any_of(all.begin(), all.end(), [](const candidate &c) { return c.time.is_less(); });
    if (noisy == 0 || any_gains) return what_to_link(result, all, clock);
    return too_noisy_to_tell;
}

} // namespace

std::string trial_verdict(const bench_result &result, clock_kind decides, double precision) {
    const bool ignores_wall = decides == clock_kind::wall && others_were_busy(result);
    if (ignores_wall) decides = clock_kind::cpu;
    const suite_result &s = result.suites.front();
    const row &first = s.rows.front();
    if (!first.problem.empty())
        return fmt::format("Nothing to compare with: {} failed.", first.allocator);
    if (s.rows.size() == 1)
        return fmt::format("Nothing to compare with: {} is the only malloc here.", first.allocator);
    std::vector<candidate> all;
    bool any_works = false;
    double widest = 0;
    for (const row &r : s.rows) {
        if (&r == &first || !r.problem.empty()) continue;
        any_works = true;
        const candidate c{&r, ratio_to_first(s, r, decides)};
        if (c.time.rounds < least_rounds) continue;
        widest = std::max(widest, c.time.precision());
        all.push_back(c);
    }
    if (!any_works) return fmt::format("Stay with {}: no other malloc worked.", first.allocator);
    if (all.empty())
        return fmt::format("{} after fewer than {} rounds.", nothing_can_be_said, least_rounds);
    std::string text = what_is_sure(result, all, decides);
    if (ignores_wall)
        text += " CPU time was judged, since other programs had their part in the wall times.";
    if (widest > precision * 1.5)
        text += fmt::format(" The ratios are known within {:.0f} % only, after {} rounds: more "
                            "--max-time, {} says it more surely.",
                            std::ceil(widest * 100), first.samples.size(),
                            decides == clock_kind::wall ? by_the_cpu : "or a quieter machine,");
    return text;
}

} // namespace toft::lab
