// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "candidates.hpp"

#include <vector>

// An arena that is reset within a call of its function frees what else was put into it meanwhile.
// So the objects of other sites are watched: which are still there when the life of the region, in
// which they were made, has ended?
namespace toft::lab {

// Fills in `left_over` of the advice that calls for resets. Reads the recordings once.
void watch_lives(std::vector<advice> &, const findings &, const each_recording &);

} // namespace toft::lab
