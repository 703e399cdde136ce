// SPDX-License-Identifier: MIT
#include "student.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace toft::lab {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4: a finite sum for
// whole degrees of freedom.
double student_share_within(double t, unsigned freedom) {
    assert(freedom != 0);
    const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = freedom == 1 ? 0 : term;
    for (unsigned k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
        term *= cosine * cosine * (k - 1) / k;
        sum += term;
    }
    return odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

double student_quantile(double share, unsigned freedom) {
    assert(share > 0 && share < 1);
    double low = 0, high = 1;
    while (student_share_within(high, freedom) < share) high *= 2;
    for (int halving = 0; halving != 60; ++halving) {
        const double middle = (low + high) / 2;
        (student_share_within(middle, freedom) < share ? low : high) = middle;
    }
    return high;
}

} // namespace toft::lab
