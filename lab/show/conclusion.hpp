// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <string>

namespace toft::lab {

// Who won in a suite and by how much, in a sentence or three. Each case is a contest of its rows in
// the first round of a process, and another in the later ones: Toft's best against the best of the
// others, or the best against the next where only one side was measured. A contest in which either
// side spreads too widely for a ratio or has fewer than three processes, or in which they differ by
// less than their spread, is within noise: nobody wins it. Limits don't compete.
std::string conclusion_of(const suite_result &);

} // namespace toft::lab
