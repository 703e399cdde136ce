// SPDX-License-Identifier: MIT
// The standard library's own two: a region that only grows, and a pool. Each frees all nodes at
// once, which for the pool is several times faster than freeing node by node. Both take their
// memory from new and delete, and give it back when they are freed.
#include "small_node.hpp"
#include "tree.hpp"
#include "workloads/direct_resource.hpp"

#include <memory_resource>
#include <new>

namespace toft::lab {
namespace {

template <class Resource>
class resource_tree final : public tree {
  public:
    void build(unsigned levels) override {
        auto make = [&](std::uint32_t id) {
            void *memory = resource_.take(sizeof(small_node), alignof(small_node));
            return new (memory) small_node{nullptr, nullptr, id};
        };
        std::uint32_t next_id = 0;
        root_ = build_tree<small_node>(levels, next_id, make);
    }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override { resource_.release(); }

  private:
    direct_resource<Resource> resource_;
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> pmr_monotonic_tree() {
    return std::make_unique<resource_tree<std::pmr::monotonic_buffer_resource>>();
}
std::unique_ptr<tree> pmr_pool_tree() {
    return std::make_unique<resource_tree<std::pmr::unsynchronized_pool_resource>>();
}

} // namespace toft::lab
