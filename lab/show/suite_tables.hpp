// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/result.hpp"
#include "shown_table.hpp"

#include <vector>

namespace toft::lab {

// The tables that the suite declares (subject/tables.hpp), or those of figure_tables.hpp where it
// declares none. A table of which nothing was measured is left out.
std::vector<shown_table> tables_of(const suite &, const suite_result &);

// These tables, and the suite's note below them.
void print_suite(const suite &, const suite_result &, printer &);

} // namespace toft::lab
