// SPDX-License-Identifier: MIT
#pragma once

#include "subject/selection.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace toft::lab {

// The first round of a process finds cold memory; the later ones find what it left.
enum class which_rounds { first, later };
inline constexpr which_rounds all_rounds[] = {which_rounds::first, which_rounds::later};

// Times in nanoseconds, one from each process, and what can be said of all of them.
struct process_times {
    double median = 0;
    double lowest = 0;
    double highest = 0;
    double spread = 0;          // interquartile range divided by the median
    std::vector<double> values; // in the order measured
};

// One figure of a row: a phase, or all phases together, in its first round or in its later ones.
struct figure {
    std::string phase; // or all_phases
    which_rounds rounds = which_rounds::first;
    bool whole = true;            // all that the row does in those rounds
    std::uint64_t operations = 0; // among which a time is shared out
    selection of = {};            // the timings that it is made of
    process_times cpu_ns = {};
    process_times wall_ns = {};

    const process_times &times(clock_kind clock) const {
        return clock == clock_kind::cpu ? cpu_ns : wall_ns;
    }
};

} // namespace toft::lab
