// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"
#include "subject/suite.hpp"

#include <vector>

namespace toft::lab {

// `toft bench --list`: these suites, with their cases and subjects, and allocators.
void print_choices(const std::vector<const suite *> &, const std::vector<allocator> &);

} // namespace toft::lab
