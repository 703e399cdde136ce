// SPDX-License-Identifier: MIT
// Toft's arena, by its C interface: allocation is inlined, and a whole tree is freed by a reset.
#include "forest.hpp"
#include "node.hpp"

#include <new>
#include <toft/arena.h>

namespace toft::lab {
namespace {

class arena_forest final : public forest {
  public:
    arena_forest() = default;
    ~arena_forest() override { toft_arena_release(&arena_); }
    arena_forest(const arena_forest &) = delete;
    arena_forest &operator=(const arena_forest &) = delete;

    void plant(unsigned depth) override {
        auto make = [this] {
            auto *memory = toft_new(&arena_, node);
            if (!memory) throw std::bad_alloc();
            return new (memory) node;
        };
        root_ = plant_tree(depth, make);
    }
    std::uint64_t walk() override { return count_nodes(root_); }
    void fell() override { toft_arena_reset(&arena_); }

  private:
    toft_arena arena_ = TOFT_ARENA_INIT;
    node *root_ = nullptr;
};

} // namespace

std::unique_ptr<forest> forest_on_toft() { return std::make_unique<arena_forest>(); }

} // namespace toft::lab
