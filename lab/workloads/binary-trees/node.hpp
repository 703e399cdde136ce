// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The node that every subject shares, and what they do with it. Header only, so that each subject's
// allocation is inlined where it can be.
namespace toft::lab {

struct node {
    node *left = nullptr;
    node *right = nullptr;
};

// make() returns a new node without children.
template <class Make>
node *plant_tree(unsigned depth, Make &make) {
    node *n = make();
    if (depth > 0) {
        n->left = plant_tree(depth - 1, make);
        n->right = plant_tree(depth - 1, make);
    }
    return n;
}

inline std::uint64_t count_nodes(const node *n) {
    return n->left ? 1 + count_nodes(n->left) + count_nodes(n->right) : 1;
}

} // namespace toft::lab
