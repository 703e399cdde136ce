// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/result.hpp"
#include "run/settings.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// How the figures of a bench were measured, and what the marks in its tables mean.
std::string method_of(const bench_result &);

// What went wrong with rows, and what a reader of their figures must know: a sentence each.
std::vector<std::string> problems_of(const bench_result &);
std::vector<std::string> remarks_of(const bench_result &);

inline constexpr const char *interrupted_words =
    "Interrupted: what was measured until then is shown.";

// Every suite's tables, and below them what a reader needs to believe them: who won, how it was
// measured and where, what is missing and what went wrong.
void print_result(const bench_result &, const settings &, printer &);

} // namespace toft::lab
