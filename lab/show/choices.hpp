// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"

#include <vector>

namespace toft::lab {

// `toft bench --list`: suites, their cases and subjects, and allocators.
void print_choices(const std::vector<allocator> &);

} // namespace toft::lab
