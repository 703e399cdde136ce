// SPDX-License-Identifier: MIT
#pragma once

#include "progress.hpp"
#include "result/result.hpp"
#include "settings.hpp"

#include <string>
#include <vector>

// Carries out the measurements, each in a process of its own:
//
//   1. one counted run of every subject in every case, which also tells how much memory and how
//      much time it needs
//   2. in several passes over everything, one timed run of every row. The rows of a case follow
//      one another, so that a machine that changes its mood changes it for all; each time another
//      row is the first. The passes lie minutes apart, so that the spread of a row's figures is
//      that of the machine's moods too.
//
// Before each timed run, as much memory as it needs is touched and given back. Otherwise the first
// process after a pause would pay a virtual machine's host for memory that it has taken back.
namespace toft::lab {

struct left_out {
    std::string what;
    std::string why;
};

struct outcome {
    std::vector<suite_result> suites;
    std::vector<left_out> missing;
    bool interrupted = false;

    // A row that failed, was elided, or lacks repetitions.
    bool has_problems() const;
};

// The rows that the settings choose, nothing measured yet. Throws std::invalid_argument when they
// choose none, or when a size is out of range.
outcome plan(const settings &);

// Measures all rows of the plan. Rows that fail say so; the others go on. Stops early, with what it
// has, on an interrupt.
void carry_out(outcome &, const settings &, progress &);

} // namespace toft::lab
