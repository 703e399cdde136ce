// SPDX-License-Identifier: MIT
#pragma once

namespace toft::lab {

// Under the heap counter a session also tells what each phase of each round asked of the heap, as
// figures with names of this kind: "heap allocations in build, round 1".
inline constexpr const char *heap_figure_prefix = "heap ";
inline constexpr const char *heap_bytes_prefix = "heap bytes ";

// And of the objects of all its timed phases that were freed: how many there were, and how many of
// their bytes were ever written.
inline constexpr const char *stored_objects_figure = "freed objects whose stores were counted";
inline constexpr const char *stored_bytes_figure = "bytes stored in freed objects";

} // namespace toft::lab
