// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/result.hpp"
#include "run/settings.hpp"

namespace toft::lab {

// Every suite's tables, and below them what a reader needs to believe them: who won, how it was
// measured and where, what is missing and what went wrong.
void print_result(const bench_result &, const settings &, printer &);

} // namespace toft::lab
