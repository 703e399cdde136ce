// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/result.hpp"

namespace toft::lab {

// Tables for a suite that has none of its own: for each case, every row with all of its figures
// (see figures.hpp) and its peak memory.
void print_figures(const suite_result &, printer &);

} // namespace toft::lab
