// SPDX-License-Identifier: MIT
#include "percent.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace toft::lab {

interval percent_of(interval part, interval whole) {
    const auto percent = [](double x, double of) {
        return of <= 0 ? 0 : std::clamp(x / of * 100, -most_percent, most_percent);
    };
    return {percent(part.low, part.low < 0 ? whole.low : whole.high),
            percent(part.high, part.high < 0 ? whole.high : whole.low)};
}

double middle(interval i) { return (i.low + i.high) / 2; }

interval sum_of_independent(interval a, interval b) {
    const double to_end = std::hypot(a.high - a.low, b.high - b.low) / 2;
    const double sum = middle(a) + middle(b);
    return {sum - to_end, sum + to_end};
}

interval widened_to(interval of, double width) {
    const double more = std::max(0.0, width - (of.high - of.low)) / 2;
    return {of.low - more, of.high + more};
}

std::string seconds_text(interval of) {
    const std::string low = fmt::format("{:.2f}", of.low), high = fmt::format("{:.2f}", of.high);
    return low == high ? high : fmt::format("{} to {}", low, high);
}

} // namespace toft::lab
