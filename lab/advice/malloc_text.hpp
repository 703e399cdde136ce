// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "show/printer.hpp"

#include <string>
#include <vector>

// What other mallocs gain, in words.
namespace toft::lab {

// By runs of the program, and not by replays.
bool are_measured(const std::vector<malloc_gain> &);

// What linking the best of them alone gains, and what the others do.
void print_mallocs(const advice_report &, printer &);

// Where ranges overlap, either may gain more: then runs of the program with the change made, where
// there were any, say most.
std::string promise_of_malloc(const advice_report &);

} // namespace toft::lab
