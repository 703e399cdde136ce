// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "replay/prediction.hpp"
#include "shown_table.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// Which malloc or strategy would gain most, of those that gain in every model of touching; or that
// none does for sure. After fewer than three rounds nothing is said.
std::string replay_in_short(const predicted_rows &, const program_cost &);

// One table of all mallocs and strategies; its rows are those of all models.
shown_table replay_table_of(const suite_result &, const program_cost &);

// "Failed: mimalloc: ...", a sentence for each malloc or strategy that did, and for the program.
std::vector<std::string> replay_failures(const suite_result &, const predicted_rows &);

// The table, what was left out of the replay, what failed, and the suite's conclusion.
void print_replay(const bench_result &, const compiled_recordings &, const program_cost &,
                  printer &);

} // namespace toft::lab
