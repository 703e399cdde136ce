// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace toft::lab {

// The order of a round. Each has its turn to be the first, and every other round goes in the other
// direction: so each runs sometimes after one of its two neighbours, sometimes after the other.
template <class T>
void put_in_turn(std::vector<T> &all, unsigned round) {
    if (all.empty()) return;
    const std::size_t first = round / 2 % all.size();
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    if (round % 2 != 0) std::reverse(all.begin(), all.end());
}

} // namespace toft::lab
