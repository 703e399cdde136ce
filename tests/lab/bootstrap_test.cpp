// SPDX-License-Identifier: MIT
#include "result/bootstrap.hpp"

#include <doctest/doctest.h>
#include <random>
#include <vector>

using namespace toft::lab;

TEST_CASE("constant samples leave no doubt") {
    const std::vector two = {2., 2., 2.}, one = {1., 1., 1.};
    const interval i = ratio_interval(two, one);
    CHECK(i.low == doctest::Approx(2));
    CHECK(i.high == doctest::Approx(2));
}

TEST_CASE("three samples a side give the whole range that they allow") {
    const std::vector upper = {1., 2., 4.}, lower = {1., 1., 2.};
    const interval i = ratio_interval(upper, lower);
    CHECK(i.low == doctest::Approx(.5));
    CHECK(i.high == doctest::Approx(4));
}

// 99 % are promised for many samples; with fifteen, a little less is known to be kept.
TEST_CASE("the interval holds the true ratio about as often as it says") {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(1, .05);
    constexpr int trials = 200;
    int held = 0;
    for (int t = 0; t != trials; ++t) {
        std::vector<double> upper, lower;
        for (int i = 0; i != 15; ++i) {
            upper.push_back(1.5 * noise(random));
            lower.push_back(noise(random));
        }
        const interval i = ratio_interval(upper, lower);
        held += i.low <= 1.5 && 1.5 <= i.high ? 1 : 0;
    }
    CHECK(held >= trials * 95 / 100);
}
