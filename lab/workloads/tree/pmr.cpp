// SPDX-License-Identifier: MIT
// The standard library's own two: a region that only grows, and a pool. Both take their memory from
// new and delete. The pool could free the tree at one stroke too, but gives its memory back to the
// heap then, which costs it more in the next round than freeing node by node does now.
#include "small_node.hpp"
#include "tree.hpp"

#include <memory_resource>
#include <new>

namespace toft::lab {
namespace {

small_node *build_in(std::pmr::memory_resource &resource, unsigned levels) {
    auto make = [&](std::uint32_t id) {
        void *memory = resource.allocate(sizeof(small_node), alignof(small_node));
        return new (memory) small_node{nullptr, nullptr, id};
    };
    std::uint32_t next_id = 0;
    return build_tree<small_node>(levels, next_id, make);
}

class monotonic_tree final : public tree {
  public:
    void build(unsigned levels) override { root_ = build_in(resource_, levels); }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override { resource_.release(); }

  private:
    std::pmr::monotonic_buffer_resource resource_;
    small_node *root_ = nullptr;
};

class pool_tree final : public tree {
  public:
    void build(unsigned levels) override { root_ = build_in(resource_, levels); }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override {
        auto free_node = [&](small_node *node) {
            resource_.deallocate(node, sizeof(small_node), alignof(small_node));
        };
        free_tree(root_, free_node);
    }
    void give_memory_back() override { resource_.release(); }

  private:
    std::pmr::unsynchronized_pool_resource resource_;
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> pmr_monotonic_tree() { return std::make_unique<monotonic_tree>(); }
std::unique_ptr<tree> pmr_pool_tree() { return std::make_unique<pool_tree>(); }

} // namespace toft::lab
