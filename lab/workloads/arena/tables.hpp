// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "show/printer.hpp"

namespace toft::lab {

// The row that ratios are to.
inline constexpr const char *raw_subject = "raw pointer";

void print_arena_tables(const suite_result &, printer &);

} // namespace toft::lab
