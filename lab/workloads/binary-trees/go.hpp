// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>
#include <string>

// The same game in Go: the program go/cmd/binary-trees, which the build puts beside the lab's
// helpers where there is a Go to build it with.
namespace toft::lab {

inline constexpr const char *go_program_file = "binary-trees";

// Figures of a Go program, as they stand in the result file.
inline constexpr const char *go_collections = "collections";
inline constexpr const char *go_pause_ns = "pause_ns";
inline constexpr const char *go_collector_share = "collector_share";

std::string why_go_is_missing(); // empty: it isn't

// Plays a game with the allocator of that name, and takes the program's word for what it used.
void play_in_go(session &, const char *allocator, std::uint64_t allocations_expected);

} // namespace toft::lab
