// SPDX-License-Identifier: MIT
#pragma once

#include "../../bench/printer.hpp"
#include "../../bench/result.hpp"

namespace toft::lab {

void print_container_tables(const suite_result &, printer &);

} // namespace toft::lab
