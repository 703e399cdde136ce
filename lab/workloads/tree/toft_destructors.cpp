// SPDX-License-Identifier: MIT
// Toft's arena with nodes that have a destructor, which the reset runs for every one of them.
#include "small_node.hpp"
#include "tree.hpp"

#include <stdexcept>
#include <toft/arena.hpp>

namespace toft::lab {
namespace {

std::uint64_t living = 0;

struct node {
    node *first_child = nullptr;
    node *next_sibling = nullptr;
    std::uint32_t id;

    explicit node(std::uint32_t number) : id(number) { ++living; }
    ~node() { --living; }
    node(const node &) = delete;
    node &operator=(const node &) = delete;
};
static_assert(sizeof(node) == sizeof(small_node));

class destroyed_tree final : public tree {
  public:
    void build(unsigned levels) override {
        auto make = [this](std::uint32_t id) { return arena_.make<node>(id); };
        std::uint32_t next_id = 0;
        root_ = build_tree<node>(levels, next_id, make);
    }
    std::uint64_t sum_of_ids() override { return sum_of_tree(root_); }
    void free() override {
        arena_.reset();
        if (living != 0) throw std::logic_error("the reset left nodes undestroyed");
    }
    void give_memory_back() override { arena_.release(); }
    std::uint64_t chunks() override { return arena_.stats().chunks; }

  private:
    toft::arena arena_;
    node *root_ = nullptr;
};

} // namespace

std::unique_ptr<tree> toft_destructors_tree() { return std::make_unique<destroyed_tree>(); }

} // namespace toft::lab
