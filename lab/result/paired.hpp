// SPDX-License-Identifier: MIT
#pragma once

#include "compared.hpp"

#include <cstddef>
#include <span>

// The ratio of two rows that were measured in turn, round by round: what a round shares, such as a
// slow moment of the machine, is in both and falls out.
namespace toft::lab {

struct paired_ratio {
    double ratio = 1; // of the first row's values to the second's
    interval between = {};
    std::size_t rounds = 0;

    bool is_less() const { return rounds != 0 && between.high < 1; }
    bool is_more() const { return rounds != 0 && between.low > 1; }
    // How far the interval reaches from the ratio, as a share of it; infinite below three rounds.
    double precision() const;
};

// With that confidence, by the mean of the logarithms of the rounds' ratios without their highest
// and lowest fifth (Yuen's test of one set). Below three rounds the interval holds everything.
// A pair with a value that isn't above 0 has no ratio, and is left out; so are the last ones of the
// longer set.
paired_ratio ratio_of_pairs(std::span<const double> upper, std::span<const double> lower,
                            double confidence);

} // namespace toft::lab
