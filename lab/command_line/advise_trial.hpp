// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "run/target.hpp"
#include "subject/allocator.hpp"

#include <vector>

// What the recorded program itself adds to advice, where it can be run: under another malloc it is
// measured, and need not be predicted.
namespace toft::lab {

struct malloc_trial {
    target program;
    std::vector<allocator> allocators; // the first is the recorded program's
    double seconds = 15;               // that it may take, once there were the least rounds
};

// What these take, of a program that runs for so long.
double least_seconds_of(const malloc_trial &, double run_seconds);

// Runs the program under each malloc beside itself under the first one, or in turn where it has
// threads or fails so, and fills in the report's mallocs. One under which it fails is named in a
// remark. Throws `interruption` when the lab is asked to stop; what was measured before stands.
void try_mallocs(advice_report &, const malloc_trial &);

} // namespace toft::lab
