// SPDX-License-Identifier: MIT
#include "result/log_shift.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <random>
#include <vector>

using namespace toft::lab;

TEST_CASE("a set of times that are twice as long lies a factor of two away") {
    const std::vector<double> was = {100, 101, 99}, is = {200, 202, 198};
    CHECK(std::exp(shift_between(was, is).by) == doctest::Approx(2));
    CHECK(std::exp(shift_between(is, was).by) == doctest::Approx(.5));
}

TEST_CASE("one process of seven that was held up moves neither the shift nor its noise much") {
    const std::vector<double> quiet = {100, 101, 102, 103, 104, 105, 106};
    const std::vector<double> held_up = {100, 101, 102, 103, 104, 105, 900};
    const log_shift a = shift_between(quiet, quiet), b = shift_between(quiet, held_up);
    CHECK(std::exp(b.by) == doctest::Approx(1).epsilon(.01));
    CHECK(b.unit_variance == doctest::Approx(a.unit_variance).epsilon(.2));
}

// With normal noise, the variance that is told is the one that the shift has.
TEST_CASE("the variance of a shift is as large as the shift's own scatter, in 4,000 trials") {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, .05);
    for (const std::size_t processes : {3U, 7U, 15U}) {
        double told = 0, seen = 0;
        constexpr int trials = 4000;
        for (int trial = 0; trial != trials; ++trial) {
            std::vector<double> was(processes), is(processes);
            for (double &t : was) t = std::exp(noise(random));
            for (double &t : is) t = std::exp(noise(random));
            const log_shift s = shift_between(was, is);
            told += s.unit_variance * s.share / trials;
            seen += s.by * s.by / trials;
        }
        CHECK(told == doctest::Approx(seen).epsilon(.15));
    }
}
