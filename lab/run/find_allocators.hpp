// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"

#include <string>
#include <vector>

// Which allocators this machine has, found out by starting a process under each.
namespace toft::lab {

// The command of a child that says which malloc it has; see answer_with_allocator.
inline constexpr const char *ask_allocator_command = "ask-allocator";

// In the child: tells the parent which malloc this process has.
void answer_with_allocator();

// All that the lab knows, in the order of the tables. Those that this machine lacks have no
// version. Takes milliseconds.
std::vector<allocator> find_allocators();

// Another malloc, defined as NAME=FILE: a shared library that replaces malloc and free. Throws
// std::invalid_argument when the name is taken, or when a process under the library has another
// malloc.
allocator preloaded_allocator(const std::string &definition);

// Those of the comma-separated list. Throws std::invalid_argument, which says what there is.
std::vector<allocator> choose_allocators(const std::vector<allocator> &known,
                                         const std::string &list);

} // namespace toft::lab
