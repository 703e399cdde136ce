// SPDX-License-Identifier: MIT
// Toft's arena, by its C interface: allocation is inlined, and the whole tree is freed by a reset.
#include "small_node.hpp"
#include "tree.hpp"

#include <new>
#include <toft/arena.h>

namespace toft::lab {
namespace {

class arena_tree final : public tree {
  public:
    ~arena_tree() override { toft_arena_release(&arena_); }

    void build(unsigned levels) override {
        auto make = [this](std::uint32_t id) {
            auto *node = toft_new(&arena_, small_node);
            if (!node) throw std::bad_alloc();
            return new (node) small_node{nullptr, nullptr, id};
        };
        std::uint32_t next_id = 0;
        root_ = build_tree<small_node>(levels, next_id, make);
    }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override { toft_arena_reset(&arena_); }
    void give_memory_back() override { toft_arena_release(&arena_); }
    std::uint64_t chunks() override { return toft_arena_get_stats(&arena_).chunks; }

  private:
    toft_arena arena_ = TOFT_ARENA_INIT;
    small_node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> toft_tree() { return std::make_unique<arena_tree>(); }

} // namespace toft::lab
