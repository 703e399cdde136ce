// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

// A ternary tree, and the ways of keeping it in memory that the suite compares. Every one builds in
// the same order, depth first, a node's id being the number of nodes made before it.
namespace toft::lab {

class tree {
  public:
    virtual ~tree() = default;
    virtual void build(unsigned levels) = 0; // below the root
    virtual std::uint64_t sum_of_ids() = 0;  // by visiting every node
    virtual void free() = 0;                 // it may be built again after this
    virtual void give_memory_back() {}       // what a region kept for being built again
    virtual std::uint64_t chunks() { return 0; }
};

constexpr std::uint64_t nodes_of_tree(std::uint64_t levels) {
    std::uint64_t nodes = 1;
    for (std::uint64_t width = 1; levels != 0; --levels) nodes += (width *= 3);
    return nodes;
}

std::unique_ptr<tree> raw_tree_yardstick();
std::unique_ptr<tree> vector_of_unique_ptr_tree();
std::unique_ptr<tree> unique_ptr_tree();
std::unique_ptr<tree> malloc_tree();
std::unique_ptr<tree> pmr_monotonic_tree();
std::unique_ptr<tree> pmr_pool_tree();
std::unique_ptr<tree> toft_tree();
std::unique_ptr<tree> toft_destructors_tree();
std::unique_ptr<tree> toft_vectors_tree();
std::unique_ptr<tree> toft_pooled_tree();

} // namespace toft::lab
