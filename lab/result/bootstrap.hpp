// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace toft::lab {

struct interval {
    double low = 0;
    double high = 0;
};

// The interval in which the ratio of the medians, upper ÷ lower, lies with 99 % confidence. It is
// the percentile bootstrap: 2000 times, each side's samples are drawn anew with replacement. The
// same samples always give the same interval. Three samples a side give the whole range that is
// possible with them. Neither side may be empty, and samples must be above 0.
interval ratio_interval(std::span<const double> upper, std::span<const double> lower);

} // namespace toft::lab
