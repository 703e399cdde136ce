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

// Of each phase of each row that has two later rounds or more: those whose rounds differ by more,
// the worst first.
std::vector<drift> drifts_of(const suite_result &);

// "4 of 90 figures drift ... ; the worst: tree, malloc (glibc), build: 10.0, 12.0, 15.0 ms"; empty
// when none does.
std::string describe_drifts(const suite_result &);

} // namespace toft::lab
