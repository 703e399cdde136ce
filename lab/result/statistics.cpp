// SPDX-License-Identifier: MIT
#include "statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace toft::lab {
namespace {

double quantile_of_sorted(const std::vector<double> &sorted, double share) {
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

} // namespace

double quantile(std::span<const double> samples, double share) {
    assert(!samples.empty() && share >= 0 && share <= 1);
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    return quantile_of_sorted(sorted, share);
}

summary summarise(std::span<const double> samples) {
    if (samples.empty()) return {};
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    summary s{quantile_of_sorted(sorted, .5), sorted.front(), sorted.back(), 0, sorted.size()};
    const double range = quantile_of_sorted(sorted, .75) - quantile_of_sorted(sorted, .25);
    if (s.median > 0) s.spread = range / s.median;
    return s;
}

} // namespace toft::lab
