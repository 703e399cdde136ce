// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace toft::lab {

struct interval {
    double low = 0;
    double high = 0;
};

// Where the ratio of the medians, upper ÷ lower, lies with 99 % confidence: the percentile
// bootstrap, each side's samples drawn anew 2000 times. The same samples always give the same
// interval. With three samples a side it is the whole range that they allow. Neither side may be
// empty, and samples are above 0.
interval ratio_interval(std::span<const double> upper, std::span<const double> lower);

} // namespace toft::lab
