// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

// Medians and spread of a handful of samples.
namespace toft::lab {

struct summary {
    double median = 0;
    double lowest = 0;
    double highest = 0;
    double spread = 0; // interquartile range divided by the median; 0 where that is 0
    std::size_t count = 0;
};

// The value below which the given share of the samples lies, by linear interpolation between the
// two nearest (Hyndman and Fan's type 7, R's and NumPy's default). Needs at least one sample.
double quantile(std::span<const double> samples, double share);

// Without samples, everything is zero.
summary summarise(std::span<const double> samples);

} // namespace toft::lab
