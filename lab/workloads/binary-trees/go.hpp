// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>

// The same game in Go: the program go/cmd/binary-trees.
namespace toft::lab {

inline constexpr const char *go_binary_trees = "binary-trees";

// Plays a game with the allocator of that name, and takes the program's word for what it used.
void play_in_go(session &, const char *allocator, std::uint64_t allocations_expected);

} // namespace toft::lab
