// SPDX-License-Identifier: MIT
#pragma once

#include "bootstrap.hpp"
#include "figure.hpp"

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

struct compared_figure {
    std::string suite, case_name, row, phase;
    which_rounds rounds = which_rounds::first;
    clock_kind clock = clock_kind::cpu;
    double old_ns = 0, new_ns = 0; // for each operation
    double ratio = 1;              // new ÷ old, what the case shares taken off
    interval between = {};         // of that ratio, 99 %
    change called = change::none;
    std::string why = {};      // it is unsure
    std::size_t processes = 0; // on the side that has fewer
    bool noisy = false;        // either side spreads too widely for a ratio
};

// What the rows of one case share, in the same phase, rounds and clock.
struct compared_case {
    std::string suite, case_name, phase;
    which_rounds rounds = which_rounds::first;
    clock_kind clock = clock_kind::cpu;
    std::size_t rows = 0;
    double ratio = 1;
};

struct comparison {
    std::vector<compared_figure> figures;
    std::vector<compared_case> cases;
    std::vector<std::string> differences; // in machine, build and settings: a sentence each
    std::vector<std::string> unmatched;   // rows that only one of the files has
    double cpu_margin = 0;                // a ratio within 1 ± this is never called
    double wall_margin = 0;

    // The largest factor by which something called became slower; 1 when nothing did.
    double worst() const;
};

} // namespace toft::lab
