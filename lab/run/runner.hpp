// SPDX-License-Identifier: MIT
#pragma once

#include "progress.hpp"
#include "result/result.hpp"
#include "settings.hpp"

// Carries out the measurements, each in a process of its own:
//
//   1. One counted run of every subject in every case. It also shows how much memory and how much
//      time the subject needs.
//   2. Several passes over everything, with one timed run of every row in each pass. The rows of a
//      case follow one another, so that a machine that becomes slower or faster changes them all;
//      in each pass another row is the first. The passes lie minutes apart, so the spread of a
//      row's figures includes the machine's slow changes too.
//
// A pass that would end after settings::max_seconds isn't begun, but the first always is: every row
// has at least one process, and the result says how many passes it lacks.
//
// Before each timed run, the lab writes to as much memory as the run needs and gives it back.
// Otherwise the first process after a pause would have to wait for a virtual machine's host to give
// back memory that it has taken away.
namespace toft::lab {

// The rows that the settings choose, nothing measured yet. Throws std::invalid_argument when they
// choose none, or when a size is out of range.
bench_result plan(const settings &);

// Measures all rows of the plan. Rows that fail say so; the others go on. Stops early, with what it
// has, on an interrupt.
void carry_out(bench_result &, const settings &, progress &);

} // namespace toft::lab
