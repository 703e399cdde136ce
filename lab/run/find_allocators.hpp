// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"

#include <optional>
#include <string>
#include <vector>

// Which allocators this machine has, found out by starting a process under each.
namespace toft::lab {

// All allocators that the lab knows, in the order of the tables. Those that this machine lacks have
// no version. Takes milliseconds.
std::vector<allocator> find_allocators();

// Another malloc, defined as NAME=FILE: a shared library that replaces malloc and free. Throws
// std::invalid_argument when the name is taken, or when a process under the library has another
// malloc.
allocator preloaded_allocator(const std::string &definition);

// The malloc of a library that a program is linked with, given by its path or as the loader finds
// it. Nothing when a process under it has another malloc, as when the library isn't there.
std::optional<allocator> allocator_of_library(const std::string &library);

// The allocators that the comma-separated list names. Throws std::invalid_argument for an unknown
// name, and says which there are.
std::vector<allocator> choose_allocators(const std::vector<allocator> &known,
                                         const std::string &list);

} // namespace toft::lab
