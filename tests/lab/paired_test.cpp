// SPDX-License-Identifier: MIT
#include "result/paired.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <vector>

using namespace toft::lab;

TEST_CASE("pairs: below three rounds, nothing is known") {
    const std::vector<double> two = {1, 1};
    const paired_ratio r = ratio_of_pairs(two, two, .95);
    CHECK_FALSE(r.is_less());
    CHECK_FALSE(r.is_more());
    CHECK(std::isinf(r.precision()));
}

TEST_CASE("pairs: one with a zero has no ratio") {
    const std::vector<double> zeros = {0, 0, 0, 0, 0}, ones = {1, 1, 1, 1, 1};
    const std::vector<double> mixed = {2, 0, 2, 2, 0};
    for (const auto *other : {&zeros, &ones}) {
        const paired_ratio r = ratio_of_pairs(zeros, *other, .95);
        CHECK(r.rounds == 0);
        CHECK_FALSE(r.is_less());
        CHECK_FALSE(r.precision() <= .03);
    }
    CHECK(ratio_of_pairs(mixed, ones, .95).rounds == 3);
    CHECK(ratio_of_pairs(mixed, ones, .95).ratio == doctest::Approx(2));
}

TEST_CASE("pairs: the interval holds the ratio in as many trials as it says, in 2,000 of them") {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, .05);
    for (const std::size_t rounds : {3U, 5U, 10U, 20U}) {
        int held = 0;
        constexpr int trials = 2000;
        for (int trial = 0; trial != trials; ++trial) {
            std::vector<double> upper, lower;
            for (std::size_t i = 0; i != rounds; ++i) {
                const double mood = std::exp(10 * noise(random));
                upper.push_back(1.2 * mood * std::exp(noise(random)));
                lower.push_back(mood * std::exp(noise(random)));
            }
            const paired_ratio r = ratio_of_pairs(upper, lower, .95);
            if (r.between.low <= 1.2 && 1.2 <= r.between.high) ++held;
        }
        CAPTURE(rounds);
        CHECK(held >= trials * .94);
        CHECK(held <= trials * .985);
    }
}
