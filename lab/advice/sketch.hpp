// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <span>

namespace toft::lab {

// How the change begins, with Toft's own calls. `made` has an element for each of its sites.
std::string sketch_of(const advice &, std::span<const made_objects> made, bool cpp);

// Whether its objects die together more often than its function was seen to be called: an arena is
// reset within a call then.
bool is_in_loop(const advice &);
// All but a tenth: other lives are worth no word.
bool are_all_in_one_life(const advice &);

} // namespace toft::lab
