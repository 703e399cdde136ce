// SPDX-License-Identifier: MIT
#pragma once

#include "result.hpp"

// Whether a row's figures may be believed. Compilers may remove a malloc and free whose result
// isn't used, and gcc and clang do: such a baseline runs at nothing an operation, and every ratio
// to it is nonsense.
namespace toft::lab {

// No malloc takes less for an allocation, be it inlined; and nothing that stores a pointer for each
// object takes less than a quarter of a cycle at 5 GHz.
inline constexpr double plausible_malloc_ns = 1.0;
inline constexpr double plausible_region_ns = 0.05;

// An interquartile range wider than this share of the median makes a row noisy.
inline constexpr double noisy_spread = 0.15;

// A row is elided when its counted run made fewer heap allocations than its text asks for, or when
// a phase that allocates took less time than is plausible; then noisy by its widest phase of some
// weight (a tenth of the row's time), or when its time depends on what ran before it.
void judge(row &);

} // namespace toft::lab
