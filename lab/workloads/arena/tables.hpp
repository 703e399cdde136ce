// SPDX-License-Identifier: MIT
#pragma once

#include "../../bench/printer.hpp"
#include "../../bench/result.hpp"

namespace toft::lab {

// The row that ratios are to.
inline constexpr const char *raw_subject = "raw pointer";

void print_arena_tables(const suite_result &, printer &);

} // namespace toft::lab
