// SPDX-License-Identifier: MIT
#include "percent.hpp"

#include <algorithm>

namespace toft::lab {

interval percent_of(interval part, interval whole) {
    // No change of the heap takes all of a program's time.
    const auto percent = [](double x, double of) {
        return of <= 0 ? 0 : std::clamp(x / of * 100, -95.0, 95.0);
    };
    return {percent(part.low, part.low < 0 ? whole.low : whole.high),
            percent(part.high, part.high < 0 ? whole.high : whole.low)};
}

double middle(interval i) { return (i.low + i.high) / 2; }

} // namespace toft::lab
