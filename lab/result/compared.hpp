// SPDX-License-Identifier: MIT
#pragma once

#include "figure.hpp"
#include "log_shift.hpp"

#include <cstddef>
#include <string>
#include <vector>

// What a comparison of two results comes to; show/comparison.hpp makes it.
namespace toft::lab {

enum class change {
    none, // within noise
    faster,
    slower,
    unsure, // can't be told: see why
};

// What a row is to the comparison.
enum class row_role {
    judged,    // it is what the comparison is about: a slowdown of it counts against a bound
    control,   // no change of ours can touch it: what it shows is the machine, or the whole build
    bystander, // somebody else's, which has another version now: shown, but not counted
};

struct interval {
    double low = 0;
    double high = 0;
};

struct compared_figure {
    std::string suite, case_name, row, phase;
    which_rounds rounds = which_rounds::first;
    clock_kind clock = clock_kind::cpu;
    row_role role = row_role::judged;
    bool whole = false;            // all that the row does in those rounds
    double old_ns = 0, new_ns = 0; // for each operation, medians
    double ratio = 1;              // new ÷ old, what the controls share taken off
    interval between = {};         // where the ratio lies, as sure as the whole comparison is
    double visible = 0;            // the ratio that would be called in nine of ten runs; 0: none
    change called = change::none;
    std::string why = {};      // it is unsure
    std::size_t processes = 0; // on the side that has fewer
    bool noisy = false;        // either side spreads too widely for a ratio
    log_shift measured = {};   // what the ratio and its interval are made of
};

// What the rows of one case share, in the same phase, rounds and clock.
struct compared_case {
    std::string suite, case_name, phase;
    which_rounds rounds = which_rounds::first;
    clock_kind clock = clock_kind::cpu;
    std::size_t controls = 0; // that say so; 0: there are too few, so the judged rows say it
    double ratio = 1;         // that is taken off each row
};

// What could be told of a suite's CPU times.
struct compared_suite {
    std::string suite;
    std::size_t controls = 0;   // rows that say what is shared; 0: no case has enough of them
    double shared = 1;          // the median of what is taken off
    double judged = 1;          // the median ratio of the judged rows, after that is taken off
    double visible = 0;         // a change of this ratio would have been seen in most judged rows
    double visible_in_all = 0;  // in every one of them
    std::string least_sure;     // the row of which the least can be told
    std::size_t not_judged = 0; // judged rows of which nothing can be told at all
};

struct comparison {
    std::vector<compared_figure> figures;
    std::vector<compared_case> cases;
    std::vector<compared_suite> suites;
    std::vector<std::string> differences; // in machine, build and settings: a sentence each
    std::vector<std::string> unmatched;   // rows that only one of the files has
    std::vector<std::string> not_judged;  // judged rows without figures or without a match, and why

    // The largest factor by which a judged row is called slower; 1 when none is.
    double worst() const;
};

// What a comparison says to the question whether something became slower by more than so many
// percent.
enum class bound_verdict { kept, exceeded, cannot_tell };

// It is exceeded when a judged row that is called slower lost more. Nothing is told when a loss of
// that size could have stayed unseen in any judged row, or when no row was judged.
bound_verdict judge_bound(const comparison &, double bound_percent);

} // namespace toft::lab
