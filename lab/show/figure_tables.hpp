// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "shown_table.hpp"

#include <vector>

namespace toft::lab {

// Tables for a suite that has none of its own: for each case, every row with all of its figures
// (see figures.hpp) and its peak memory.
std::vector<shown_table> figure_tables_of(const suite_result &);

} // namespace toft::lab
