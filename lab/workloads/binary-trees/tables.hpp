// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "show/printer.hpp"

namespace toft::lab {

// The subjects that the others of their language are compared with.
inline constexpr const char *plain_cpp = "new + delete";
inline constexpr const char *plain_go = "Go, naive";

void print_binary_trees_tables(const suite_result &, printer &);

} // namespace toft::lab
