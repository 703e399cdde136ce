// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// Says in one to three sentences who won in a suite and by how much. Each case is as many contests
// of its rows as the suite's tables have columns that decide one (table_column::contest), so that a
// reader finds both figures of each lead in one column. Without tables, a case is two contests: one
// in the first round of a process, one in the later rounds. The best of Toft's rows meets the best
// of the others; where only one side was measured, the best row meets the next. When the two differ
// by less than their spread (by twice that where one of them is noisy), or one has fewer than three
// processes, the contest is within noise and nobody wins it. Yardsticks don't compete.
std::string conclusion_of(const suite_result &, const std::vector<suite_table> & = {});

} // namespace toft::lab
