// SPDX-License-Identifier: MIT
#pragma once

#include "result/bootstrap.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Two result files compared, figure by figure.
//
// The rows of a case are measured interleaved, so they share the machine's mood; two runs don't.
// What all rows of a case have in common (the median of their ratios) is therefore told for the
// case, never called a change, and taken off each of its rows before a row is called changed. With
// fewer rows than five, nothing can be taken off, and the margin is wider.
namespace toft::lab {

enum class change {
    none, // within noise
    faster,
    slower,
    unsure, // can't be told: see why
};
std::string to_string(change);

struct compared_figure {
    std::string suite, case_name, row, phase, rounds, clock;
    double old_ns = 0, new_ns = 0; // for each operation
    double ratio = 0;              // new ÷ old, what the case shares taken off
    interval between;              // of that ratio, 99 %
    change called = change::none;
    std::string why;           // it is unsure
    std::size_t processes = 0; // on the side that has fewer
    bool noisy = false;        // either side spreads too widely for a ratio
};

// What the rows of one case share, in the same phase, rounds and clock.
struct compared_case {
    std::string suite, case_name, phase, rounds, clock;
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

// Both as read_result returns them.
comparison compare(const nlohmann::json &old_result, const nlohmann::json &new_result);

nlohmann::json to_json(const comparison &);

} // namespace toft::lab
