// SPDX-License-Identifier: MIT
#pragma once

namespace toft::lab {

// Under the heap counter a session also tells what each phase of each round asked of the heap, as
// figures with names of this kind: "heap allocations in build, round 1".
inline constexpr const char *heap_figure_prefix = "heap ";

} // namespace toft::lab
