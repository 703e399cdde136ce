// SPDX-License-Identifier: MIT
#include "log_shift.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace toft::lab {
namespace {

std::vector<double> logarithms(std::span<const double> times) {
    std::vector<double> logs;
    for (const double t : times) logs.push_back(std::log(t));
    return logs;
}

} // namespace

trimmed_mean trim(std::vector<double> values) {
    assert(!values.empty());
    std::sort(values.begin(), values.end());
    const std::size_t cut = values.size() / 5;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto last = values.end() - static_cast<std::ptrdiff_t>(cut);
    trimmed_mean t;
    t.kept = static_cast<double>(last - first);
    t.mean = std::accumulate(first, last, 0.) / t.kept;
    std::fill(values.begin(), first, *first);
    std::fill(last, values.end(), *(last - 1));
    const double middle =
        std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
    for (const double v : values) t.squares += (v - middle) * (v - middle);
    return t;
}

log_shift shift_between(std::span<const double> first, std::span<const double> second) {
    assert(first.size() >= 2 && second.size() >= 2);
    const trimmed_mean was = trim(logarithms(first)), is = trim(logarithms(second));
    const double freedom = was.kept + is.kept - 2;
    return {is.mean - was.mean, (was.squares + is.squares) / freedom, 1 / was.kept + 1 / is.kept,
            static_cast<unsigned>(freedom)};
}

} // namespace toft::lab
