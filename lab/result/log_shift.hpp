// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

// By how much one set of times is longer than another, and how sure that is: the noise comes from
// within the two sets, never from what they differ by.
namespace toft::lab {

// All in natural logarithms, in which a time that doubles moves as far as one that halves.
struct log_shift {
    double by = 0;            // the second set's middle minus the first's
    double unit_variance = 0; // of one process, from both sets
    double share = 0;         // of it, that is the variance of `by`
    unsigned freedom = 0;     // degrees of it, from which the variance is known
};

// The middle is the mean of the logarithms without the highest and the lowest fifth, so that an
// interrupt in one of seven processes doesn't move it. The variance is the one that belongs to such
// a mean (Yuen's test, 1974). Each set has at least two times, all of them above 0.
log_shift shift_between(std::span<const double> first, std::span<const double> second);

// The mean of values without their highest and lowest fifth, and what its noise is made of.
struct trimmed_mean {
    double mean = 0;
    double squares = 0; // of the distances from the mean, the ends moved in to what is kept
    double kept = 0;    // values
};
trimmed_mean trim(std::vector<double> values); // at least one

} // namespace toft::lab
