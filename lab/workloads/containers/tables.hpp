// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "show/printer.hpp"

namespace toft::lab {

void print_container_tables(const suite_result &, printer &);

} // namespace toft::lab
