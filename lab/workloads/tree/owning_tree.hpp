// SPDX-License-Identifier: MIT
#pragma once

#include "tree.hpp"

// The lightest tree that frees itself: owning pointers over the small node. Base is what the node
// is derived from.
namespace toft::lab {

template <template <class> class Base>
class owning_tree final : public tree {
  public:
    void build(unsigned levels) override {
        std::uint32_t next_id = 0;
        root_ = make(levels, next_id);
    }
    std::uint64_t sum_of_ids() override { return sum_of(*root_); }
    void free() override { root_.reset(); }

  private:
    struct node : Base<node> {
        std::unique_ptr<node> first_child;
        std::unique_ptr<node> next_sibling;
        std::uint32_t id;

        explicit node(std::uint32_t number) : id(number) {}
    };

    static std::unique_ptr<node> make(unsigned levels, std::uint32_t &next_id) {
        static_assert(sizeof(node) == 24);
        auto parent = std::make_unique<node>(next_id++);
        if (levels == 0) return parent;
        std::unique_ptr<node> *link = &parent->first_child;
        for (int child = 0; child != 3; ++child) {
            *link = make(levels - 1, next_id);
            link = &(*link)->next_sibling;
        }
        return parent;
    }

    static std::uint64_t sum_of(const node &parent) {
        std::uint64_t sum = parent.id;
        for (const node *child = parent.first_child.get(); child; child = child->next_sibling.get())
            sum += child->first_child ? sum_of(*child) : child->id;
        return sum;
    }

    std::unique_ptr<node> root_;
};

} // namespace toft::lab
