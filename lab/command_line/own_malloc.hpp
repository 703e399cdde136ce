// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"
#include "run/recognise.hpp"
#include "subject/allocator.hpp"

#include <string>
#include <vector>

// A recorded program that brings another malloc than glibc's, as a library: replays compare with
// that one.
namespace toft::lab {

// That library; empty: none. A program that isn't given is looked up by the name under which it was
// recorded.
std::string malloc_of(const recording &, const recognised_program & = {});

// Throws std::invalid_argument, with what to do, when nothing can be run under that library.
void put_own_malloc_first(std::vector<allocator> &, const std::string &library);

} // namespace toft::lab
