// SPDX-License-Identifier: MIT
// Plain C: a malloc and a free for each node.
#include "small_node.hpp"
#include "tree.hpp"

#include <cstdlib>
#include <new>

namespace toft::lab {
namespace {

class tree_on_malloc final : public tree {
  public:
    void build(unsigned levels) override {
        auto make = [](std::uint32_t id) {
            void *memory = std::malloc(sizeof(small_node));
            if (!memory) throw std::bad_alloc();
            return new (memory) small_node{nullptr, nullptr, id};
        };
        std::uint32_t next_id = 0;
        root_ = build_tree<small_node>(levels, next_id, make);
    }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override {
        auto free_node = [](small_node *node) { std::free(node); };
        free_tree(root_, free_node);
    }

  private:
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> malloc_tree() { return std::make_unique<tree_on_malloc>(); }

} // namespace toft::lab
