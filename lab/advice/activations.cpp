// SPDX-License-Identifier: MIT
#include "activations.hpp"

#include <algorithm>

namespace toft::lab {

std::uint32_t activations::see(const stack_tree &tree, std::uint32_t node, std::uint64_t moment) {
    const std::uint32_t depth = tree[node].depth;
    const auto old_depth = static_cast<std::uint32_t>(path_.size() - 1);
    path_.resize(depth + 1);
    // What is above the deepest common node stays as it is.
    std::uint32_t at = node, level = depth;
    while (level > old_depth || path_[level].node != at) {
        const bool goes_on = level <= old_depth && tree[path_[level].node].frame == tree[at].frame;
        path_[level] = {at, goes_on ? path_[level].entered : moment};
        if (goes_on) return level; // its parent is the same node
        at = tree[at].parent;
        --level;
    }
    return level;
}

std::uint32_t activations::depth_since(std::uint64_t moment) const {
    const auto later =
        std::upper_bound(path_.begin() + 1, path_.end(), moment,
                         [](std::uint64_t m, const call &c) { return m < c.entered; });
    return static_cast<std::uint32_t>(later - path_.begin() - 1);
}

} // namespace toft::lab
