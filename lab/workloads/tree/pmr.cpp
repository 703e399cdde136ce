// SPDX-License-Identifier: MIT The standard library's own two: a region that only grows, and a
// pool. Each frees all nodes at once, which for the pool is several times faster than freeing node
// by node. Both take their memory from new and delete, and give it back when they are freed.
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
    void free() override { resource_.release(); }

  private:
    std::pmr::unsynchronized_pool_resource resource_;
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> pmr_monotonic_tree() { return std::make_unique<monotonic_tree>(); }
std::unique_ptr<tree> pmr_pool_tree() { return std::make_unique<pool_tree>(); }

} // namespace toft::lab
