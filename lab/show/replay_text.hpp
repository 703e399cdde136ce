// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "replay/prediction.hpp"

namespace toft::lab {

// One table of all mallocs and strategies, what was left out of the replay, and in one sentence
// what would gain most.
void print_replay(const bench_result &, const compiled_recordings &, const program_cost &,
                  printer &);

} // namespace toft::lab
