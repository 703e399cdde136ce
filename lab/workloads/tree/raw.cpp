// SPDX-License-Identifier: MIT
// The yardstick: the nodes lie side by side in memory on huge pages, no check is made, and they are
// freed by forgetting them.
#include "small_node.hpp"
#include "tree.hpp"
#include "workloads/arena/mapping.hpp"

#include <new>

namespace toft::lab {
namespace {

class raw_tree final : public tree {
  public:
    ~raw_tree() override { give_memory_back(); }

    void build(unsigned levels) override {
        if (!memory_.begin)
            memory_ = map_memory(nodes_of_tree(levels) * sizeof(small_node), huge_pages::wanted);
        cur_ = memory_.begin;
        auto make = [this](std::uint32_t id) {
            char *node = cur_;
            cur_ += sizeof(small_node);
            return new (node) small_node{nullptr, nullptr, id};
        };
        std::uint32_t next_id = 0;
        root_ = build_tree<small_node>(levels, next_id, make);
    }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override { cur_ = memory_.begin; }
    void give_memory_back() override {
        if (memory_.begin) unmap_memory(memory_);
        memory_ = {};
    }

  private:
    mapping memory_;
    char *cur_ = nullptr;
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> raw_tree_yardstick() { return std::make_unique<raw_tree>(); }

} // namespace toft::lab
