// SPDX-License-Identifier: MIT
#pragma once

#include "result/statistics.hpp"

#include <algorithm>
#include <cstddef>

// When tables and sentences call one row faster than another.
namespace toft::lab {

inline constexpr double least_lead = 1.03;        // of the medians
inline constexpr std::size_t least_processes = 3; // fewer don't tell their noise

inline bool has_too_few(const summary &a, const summary &b) {
    return std::min(a.count, b.count) < least_processes;
}

// The medians may come to it by the noise of a few processes: here every one of them is faster.
inline bool is_always_faster(const summary &fast, const summary &slow) {
    return fast.highest < slow.lowest;
}

} // namespace toft::lab
