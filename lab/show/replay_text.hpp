// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "replay/prediction.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// Which malloc or strategy would gain most, of those that gain in every model of touching; or that
// none does for sure.
std::string replay_in_short(const std::vector<predicted_row> &, const program_cost &);

// One table of all mallocs and strategies, what was left out of the replay, and in one sentence
// what would gain most.
void print_replay(const bench_result &, const compiled_recordings &, const program_cost &,
                  printer &);

} // namespace toft::lab
