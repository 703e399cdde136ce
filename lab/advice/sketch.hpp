// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <span>

namespace toft::lab {

// How the change begins, with Toft's own calls. `made` has an element for each of its sites.
std::string sketch_of(const advice &, std::span<const made_objects> made, bool cpp);

} // namespace toft::lab
