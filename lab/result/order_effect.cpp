// SPDX-License-Identifier: MIT
#include "order_effect.hpp"

#include "figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace toft::lab {
namespace {

constexpr std::size_t least_processes = 3; // after the same row, to say anything

using groups = std::map<std::string, std::vector<double>>;

groups by_predecessor(const row &r, const selection &of) {
    groups found;
    for (const measurement &m : r.samples) {
        row alone;
        alone.samples = {m};
        const std::vector<double> ns = nanoseconds_of_processes(alone, of, clock_kind::cpu);
        if (!ns.empty() && !m.after.empty()) found[m.after].push_back(ns.front());
    }
    return found;
}

bool all_slower(const summary &slow, const summary &fast, double noisy_spread) {
    return slow.lowest > fast.highest && slow.median > fast.median * (1 + noisy_spread);
}

} // namespace

std::string describe_order_effect(const row &r) {
    if (figures_of(r).empty()) return {}; // nothing was measured, or nothing was timed
    const groups found = by_predecessor(r, main_figure_of(r).of);
    for (const auto &[slow_after, slow_samples] : found)
        for (const auto &[fast_after, fast_samples] : found) {
            if (std::min(slow_samples.size(), fast_samples.size()) < least_processes) continue;
            const summary slow = summarise(slow_samples);
            const summary fast = summarise(fast_samples);
            if (all_slower(slow, fast, r.noisy_spread))
                return fmt::format("seems to depend on what ran before: {:.2f} ms after {}, "
                                   "{:.2f} ms after {}",
                                   slow.median * 1e-6, slow_after, fast.median * 1e-6, fast_after);
        }
    return {};
}

} // namespace toft::lab
