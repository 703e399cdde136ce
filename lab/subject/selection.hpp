// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace toft::lab {

enum class clock_kind { cpu, wall };

// Which timings of a process are made into one value: in each round, those of these phases are
// added up; the value is the median of the rounds.
struct selection {
    std::vector<std::string> phases;
    unsigned first_round = 1;
    unsigned last_round = 1;
};

} // namespace toft::lab
