// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/result.hpp"
#include "shown_table.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// The table of `toft try`: time, memory, faults and context switches of the program under each
// malloc.
shown_table trial_table_of(const suite_result &);

// "Failed: mimalloc: ...", a sentence for each that did.
std::vector<std::string> trial_failures(const suite_result &);

// The table; what failed, what was left out, on which machine; and the verdict last.
void print_trial(const bench_result &, printer &);

} // namespace toft::lab
