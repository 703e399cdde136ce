// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>

// The same game in Go: the program go/cmd/binary-trees.
namespace toft::lab {

inline constexpr const char *go_binary_trees = "binary-trees";

// The same with other people's arenas, which have to be downloaded: go/peers/cmd/peer-trees.
inline constexpr const char *go_peer_trees = "peer-trees";
inline constexpr const char *go_peer_trees_experiment = "peer-trees-arenas";

// Plays a game by the program, with the allocator of that name, and takes the program's word for
// what it used.
void play_in_go(session &, const char *program, const char *allocator,
                std::uint64_t allocations_expected);

} // namespace toft::lab
