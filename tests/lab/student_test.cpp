// SPDX-License-Identifier: MIT
#include "result/student.hpp"

#include <doctest/doctest.h>
#include <initializer_list>

using namespace toft::lab;

// Any table of Student's distribution has these.
TEST_CASE("Student's t: the quantiles of the tables") {
    CHECK(student_quantile(.95, 1) == doctest::Approx(12.706).epsilon(1e-4));
    CHECK(student_quantile(.95, 2) == doctest::Approx(4.303).epsilon(1e-4));
    CHECK(student_quantile(.95, 5) == doctest::Approx(2.571).epsilon(1e-3));
    CHECK(student_quantile(.99, 10) == doctest::Approx(3.169).epsilon(1e-3));
    CHECK(student_quantile(.999, 12) == doctest::Approx(4.318).epsilon(1e-3));
    CHECK(student_quantile(.95, 1000) == doctest::Approx(1.962).epsilon(1e-3));
}

TEST_CASE("Student's t: far out, the quantile is still the inverse of the share") {
    for (unsigned freedom = 1; freedom != 40; ++freedom)
        for (const double share : {.5, .9, .9999, .9999999})
            CHECK(student_share_within(student_quantile(share, freedom), freedom) ==
                  doctest::Approx(share).epsilon(1e-9));
}
