// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

namespace toft::lab {

// How the change begins, with Toft's own calls.
std::string sketch_of(const advice &, bool cpp);

} // namespace toft::lab
