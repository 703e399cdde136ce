// SPDX-License-Identifier: MIT
#include "bootstrap.hpp"

#include "statistics.hpp"

#include <cassert>
#include <random>
#include <vector>

namespace toft::lab {
namespace {

constexpr unsigned resamples = 2000;
constexpr double left_out = .01; // half of it on either side

double median_of_resample(std::span<const double> samples, std::vector<double> &drawn,
                          std::minstd_rand &random) {
    drawn.clear();
    for (std::size_t i = 0; i != samples.size(); ++i)
        drawn.push_back(samples[random() % samples.size()]);
    return quantile(drawn, .5);
}

} // namespace

interval ratio_interval(std::span<const double> upper, std::span<const double> lower) {
    assert(!upper.empty() && !lower.empty());
    std::minstd_rand random(1);
    std::vector<double> ratios, drawn;
    for (unsigned i = 0; i != resamples; ++i) {
        const double above = median_of_resample(upper, drawn, random);
        ratios.push_back(above / median_of_resample(lower, drawn, random));
    }
    return {quantile(ratios, left_out / 2), quantile(ratios, 1 - left_out / 2)};
}

} // namespace toft::lab
