// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <array>
#include <functional>

// Results made by hand, of rows whose noise and whose changes are known.
namespace toft::lab {

// What a run gives: one suite of cases named "one", "two", ...; in each so many of Toft's rows, and
// of others on malloc. All times are drawn from the seed.
struct made_run {
    unsigned seed = 1;
    unsigned processes = 7;
    unsigned cases = 2;
    unsigned ours = 4;
    unsigned controls = 4;
    double scatter = .02;     // of a process's time: its standard deviation, as a share
    double unlike = 0;        // by how much the rows' scatters differ from that, as a logarithm
    double interrupts = 0;    // the share of processes that take up to a third longer
    double mood = 1;          // the factor by which this run is slower, which all rows share
    double mood_of_cases = 0; // how far each case's own mood lies from that
    double mood_of_rows = 0;  // how far each row's own mood lies from its case's
    double slowed = 1;        // row 3 of the case "two", or of the only case
    double all_of_ours = 1;   // every row of Toft's
};

bench_result result_of(const made_run &);

} // namespace toft::lab
