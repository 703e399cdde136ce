// SPDX-License-Identifier: MIT
#include "result/statistics.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace toft::lab;

TEST_CASE("the median of an even number of samples lies between the middle two") {
    CHECK(summarise(std::vector{1., 2., 3., 4.}).median == doctest::Approx(2.5));
    CHECK(summarise(std::vector{5., 1., 3.}).median == doctest::Approx(3));
    CHECK(summarise(std::vector{7.}).median == doctest::Approx(7));
}

TEST_CASE("quantiles are those of R's type 7") {
    const std::vector samples = {1., 2., 3., 4., 10.};
    CHECK(quantile(samples, 0) == doctest::Approx(1));
    CHECK(quantile(samples, .25) == doctest::Approx(2));
    CHECK(quantile(samples, .1) == doctest::Approx(1.4));
    CHECK(quantile(samples, 1) == doctest::Approx(10));
}

TEST_CASE("the spread is the interquartile range divided by the median") {
    const summary s = summarise(std::vector{9., 10., 10., 12., 100.});
    CHECK(s.median == doctest::Approx(10));
    CHECK(s.spread == doctest::Approx(.2));
    CHECK(s.lowest == doctest::Approx(9));
    CHECK(s.highest == doctest::Approx(100));
    CHECK(s.count == 5);
}

TEST_CASE("no samples, one sample and zeros have no spread") {
    CHECK(summarise({}).count == 0);
    CHECK(summarise(std::vector{4.}).spread == 0);
    CHECK(summarise(std::vector{0., 0., 0.}).spread == 0);
}
