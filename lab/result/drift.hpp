// SPDX-License-Identifier: MIT
#pragma once

#include "result.hpp"

#include <string>
#include <vector>

// A figure of the later rounds is the median of those rounds. Where the rounds of one process
// differ, a single figure hides that the program becomes slower or faster as it ages.
namespace toft::lab {

inline constexpr double steady_rounds = 1.3; // slowest ÷ fastest, up to which nothing is said

struct drift {
    const row *of = nullptr;
    std::string phase;
    unsigned first_round = 2, last_round = 2;
    std::vector<double> cpu_ns; // of each round, the median of the processes

    double slowest_to_fastest() const;
};

// Looks at each phase of each row that has two later rounds or more, and returns those whose rounds
// differ by more, the worst first.
std::vector<drift> drifts_of(const suite_result &);

// "tree: 4 figures differ by more than 30 % between the later rounds of a process; the worst: made
// (glibc), build: 10.00, 12.00, 15.00 ms."; empty when none does.
std::string describe_drifts(const suite_result &);

} // namespace toft::lab
