// SPDX-License-Identifier: MIT
// The textbook form moved into Toft's arena: the same vectors of children, each with its three
// places reserved, through the allocator for standard containers. Nothing is destroyed one by one:
// a vector in an arena has nothing to give back.
#include "tree.hpp"

#include <new>
#include <toft/arena.hpp>
#include <vector>

namespace toft::lab {
namespace {

struct node {
    std::vector<node *, toft::allocator<node *>> children;
    std::uint32_t id;

    node(toft::arena &arena, std::uint32_t number)
        : children(toft::allocator<node *>(arena)),
          id(number) {
        children.reserve(3);
    }
};

class tree_of_vectors final : public tree {
  public:
    void build(unsigned levels) override {
        std::uint32_t next_id = 0;
        root_ = make(next_id);
        add_children(*root_, levels, next_id);
    }
    std::uint64_t sum_of_ids() override { return sum_below(*root_); }
    void free() override { arena_.reset(); }
    void give_memory_back() override { arena_.release(); }
    std::uint64_t chunks() override { return arena_.stats().chunks; }

  private:
    node *make(std::uint32_t &next_id) {
        return new (arena_.allocate(sizeof(node), alignof(node))) node(arena_, next_id++);
    }

    void add_children(node &parent, unsigned levels, std::uint32_t &next_id) {
        if (levels == 0) return;
        for (int child = 0; child != 3; ++child) {
            parent.children.push_back(make(next_id));
            add_children(*parent.children.back(), levels - 1, next_id);
        }
    }

    static std::uint64_t sum_below(const node &parent) {
        std::uint64_t sum = parent.id;
        for (const node *child : parent.children)
            sum += child->children.empty() ? child->id : sum_below(*child);
        return sum;
    }

    toft::arena arena_;
    node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> toft_vectors_tree() { return std::make_unique<tree_of_vectors>(); }

} // namespace toft::lab
