// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace toft::lab {

// The interquartile range, divided by the median, above which a figure is noisy, unless its subject
// says otherwise.
inline constexpr double usual_noisy_spread = 0.15;

enum class clock_kind { cpu, wall };

// Which timings of a process are made into one value: in each round, those of these phases are
// added up; the value is the median of the rounds.
struct selection {
    std::vector<std::string> phases;
    unsigned first_round = 1;
    unsigned last_round = 1;
};

} // namespace toft::lab
