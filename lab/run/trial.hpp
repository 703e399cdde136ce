// SPDX-License-Identifier: MIT
#pragma once

#include "progress.hpp"
#include "result/result.hpp"
#include "target.hpp"

// `toft try`: one program under several mallocs. The result is that of a bench with one suite,
// `try`, of one case, the program; so it can be written, shown and compared like any other.
namespace toft::lab {

inline constexpr const char *trial_suite = "try";

struct trial_settings {
    target of;
    std::string own_library;           // a malloc that the program brings; empty: none
    std::vector<allocator> allocators; // the first is what the others are compared with
    double precision = .03;            // each ratio is known that well, or
    double max_seconds = 120;          // so much time has passed
    unsigned least_rounds = 3;         // however long they take
    bool same_output = false;
    bool side_by_side = false; // every other row at once with the first one, on one processor
};

// The allocators to try: glibc's as it comes, glibc's with huge pages, each other one that is
// there, and Toft's drop-in where it is beside this command. What isn't there is in `left_out`.
std::vector<allocator> allocators_to_try(std::vector<allocator> known,
                                         std::vector<omission> &left_out);

// Whether the clock that decides is the CPU's: a client may set a server's pace, and a program that
// runs beside this one the wall clock's.
clock_kind deciding_clock(const trial_settings &);

// Runs the program once as it is. Says how that failed, and what to do; empty: it didn't.
std::string rehearse(const trial_settings &);

// The rows, nothing measured yet.
bench_result plan(const trial_settings &);

// Round after round, every row once in each (side by side: once beside the first one), until all
// ratios are known well enough (see trial_ratios.hpp) or the time is over; every row that still
// runs has at least the least number of rounds, unless an interrupt comes. A row that fails, or
// whose output differs, says so and stops; the others go on.
void carry_out(bench_result &, const trial_settings &, progress &);

} // namespace toft::lab
