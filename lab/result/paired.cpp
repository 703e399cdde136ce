// SPDX-License-Identifier: MIT
#include "paired.hpp"

#include "student.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace toft::lab {

double paired_ratio::precision() const {
    if (rounds < 3) return std::numeric_limits<double>::infinity();
    return between.high / ratio - 1;
}

paired_ratio ratio_of_pairs(std::span<const double> upper, std::span<const double> lower,
                            double confidence) {
    std::vector<double> shifts;
    for (std::size_t i = 0; i != std::min(upper.size(), lower.size()); ++i)
        if (upper[i] > 0 && lower[i] > 0) shifts.push_back(std::log(upper[i] / lower[i]));
    if (shifts.size() < 3) return {1, {0, std::numeric_limits<double>::infinity()}, shifts.size()};
    const trimmed_mean middle = trim(shifts);
    const double noise = std::sqrt(middle.squares / (middle.kept * (middle.kept - 1)));
    const double reach =
        student_quantile(confidence, static_cast<unsigned>(middle.kept) - 1) * noise;
    return {std::exp(middle.mean),
            {std::exp(middle.mean - reach), std::exp(middle.mean + reach)},
            shifts.size()};
}

} // namespace toft::lab
