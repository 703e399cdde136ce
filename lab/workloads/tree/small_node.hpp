// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The 24-byte node that every subject but the vectors shares, and what they do with it. Header
// only, so that each subject's allocation is inlined where it can be.
namespace toft::lab {

struct small_node {
    small_node *first_child = nullptr;
    small_node *next_sibling = nullptr;
    std::uint32_t id = 0;
};
static_assert(sizeof(small_node) == 24);

// make(id) returns a new Node without relations.
template <class Node, class Make>
Node *build_tree(unsigned levels, std::uint32_t &next_id, Make &make) {
    Node *node = make(next_id++);
    if (levels == 0) return node;
    Node **link = &node->first_child;
    for (int child = 0; child != 3; ++child) {
        *link = build_tree<Node>(levels - 1, next_id, make);
        link = &(*link)->next_sibling;
    }
    return node;
}

// A leaf costs no call, here and below: it is memory that is to be measured, not recursion.
template <class Node>
std::uint64_t sum_of_tree(const Node *node) {
    std::uint64_t sum = node->id;
    for (const Node *child = node->first_child; child; child = child->next_sibling)
        sum += child->first_child ? sum_of_tree(child) : child->id;
    return sum;
}

// Children before their parent.
template <class Node, class Free>
void free_tree(Node *node, Free &free) {
    for (Node *child = node->first_child; child;) {
        Node *next = child->next_sibling;
        if (child->first_child)
            free_tree(child, free);
        else
            free(child);
        child = next;
    }
    free(node);
}

} // namespace toft::lab
