// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"

#include <string>
#include <vector>

// The allocators that are measured, beyond those that the machine has: with settings of their own,
// and under names that are theirs alone.
namespace toft::lab {

// A further allocator, defined as NAME:VAR=VALUE: the one of that name, in processes that have this
// variable in their environment. Throws std::invalid_argument when it is written in another way, or
// when no allocator that is there has the name.
allocator allocator_with_setting(const std::vector<allocator> &, const std::string &definition);

// Two allocators of one name would be one row: the second becomes "mine #2".
void make_names_unique(std::vector<allocator> &);

// The variables of this process's own environment that some malloc reads, as "VAR=VALUE": they hold
// in every process that is measured.
std::vector<std::string> settings_in_environment();

} // namespace toft::lab
