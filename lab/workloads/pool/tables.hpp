// SPDX-License-Identifier: MIT
#pragma once

// The tables of the suite `pool`.
namespace toft::lab {

struct suite_result;
class printer;

void print_pool_tables(const suite_result &, printer &);

} // namespace toft::lab
