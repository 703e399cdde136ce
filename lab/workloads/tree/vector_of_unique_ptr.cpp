// SPDX-License-Identifier: MIT
// The textbook form: a node owns a vector of owning pointers, and reserves three places in it even
// when it gets no children. The root itself isn't on the heap.
#include "tree.hpp"

#include <optional>
#include <vector>

namespace toft::lab {
namespace {

struct node {
    std::vector<std::unique_ptr<node>> children;
    std::uint32_t id;

    explicit node(std::uint32_t number) : id(number) { children.reserve(3); }
};
static_assert(sizeof(node) == 32);

void add_children(node &parent, unsigned levels, std::uint32_t &next_id) {
    if (levels == 0) return;
    for (int child = 0; child != 3; ++child) {
        parent.children.push_back(std::make_unique<node>(next_id++));
        add_children(*parent.children.back(), levels - 1, next_id);
    }
}

std::uint64_t sum_below(const node &parent) {
    std::uint64_t sum = parent.id;
    for (const auto &child : parent.children)
        sum += child->children.empty() ? child->id : sum_below(*child);
    return sum;
}

class tree_of_vectors final : public tree {
  public:
    void build(unsigned levels) override {
        std::uint32_t next_id = 1;
        add_children(root_.emplace(0), levels, next_id);
    }
    std::uint64_t sum_of_ids() override { return sum_below(*root_); }
    void free() override { root_.reset(); }

  private:
    std::optional<node> root_;
};

} // namespace

std::unique_ptr<tree> vector_of_unique_ptr_tree() { return std::make_unique<tree_of_vectors>(); }

} // namespace toft::lab
