// SPDX-License-Identifier: MIT
// Owning pointers over the small node: the lightest tree that frees itself.
#include "tree.hpp"

namespace toft::lab {
namespace {

struct node {
    std::unique_ptr<node> first_child;
    std::unique_ptr<node> next_sibling;
    std::uint32_t id;

    explicit node(std::uint32_t number) : id(number) {}
};
static_assert(sizeof(node) == 24);

std::unique_ptr<node> make_tree(unsigned levels, std::uint32_t &next_id) {
    auto parent = std::make_unique<node>(next_id++);
    if (levels == 0) return parent;
    std::unique_ptr<node> *link = &parent->first_child;
    for (int child = 0; child != 3; ++child) {
        *link = make_tree(levels - 1, next_id);
        link = &(*link)->next_sibling;
    }
    return parent;
}

std::uint64_t sum_of(const node &parent) {
    std::uint64_t sum = parent.id;
    for (const node *child = parent.first_child.get(); child; child = child->next_sibling.get())
        sum += child->first_child ? sum_of(*child) : child->id;
    return sum;
}

class owning_tree final : public tree {
  public:
    void build(unsigned levels) override {
        std::uint32_t next_id = 0;
        root_ = make_tree(levels, next_id);
    }
    std::uint64_t sum_of_ids() override { return sum_of(*root_); }
    void free() override { root_.reset(); }

  private:
    std::unique_ptr<node> root_;
};

} // namespace

std::unique_ptr<tree> unique_ptr_tree() { return std::make_unique<owning_tree>(); }

} // namespace toft::lab
