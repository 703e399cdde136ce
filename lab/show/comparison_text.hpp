// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/compared.hpp"
#include "table.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// A comparison as the terminal prints it and as the report shows it.
struct comparison_words {
    table figures;                       // no lines: none has changed
    std::string note;                    // below the table
    std::vector<std::string> suites;     // what could be told of each
    std::string sum;                     // how many figures were compared, and with which outcome
    std::string unmatched;               // how many rows only one file has; empty: none
    std::vector<std::string> not_judged; // the first few such rows, and why
};

// What changed, and how much could be told; with `all`, every figure that was compared.
comparison_words words_of(const comparison &, bool all);
void print_comparison(const comparison &, bool all, printer &);

// What the comparison says to a bound.
void print_bound(const comparison &, double bound_percent, printer &);

} // namespace toft::lab
