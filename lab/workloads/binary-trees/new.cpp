// SPDX-License-Identifier: MIT
// Each node by new, and freed by delete: what the Game's rules ask of C++.
#include "forest.hpp"
#include "node.hpp"

namespace toft::lab {
namespace {

class new_forest final : public forest {
  public:
    void plant(unsigned depth) override {
        auto make = [] { return new node; };
        root_ = plant_tree(depth, make);
    }
    std::uint64_t walk() override { return count_nodes(root_); }
    void fell() override { fell_tree(root_); }

  private:
    static void fell_tree(node *n) {
        if (n->left) {
            fell_tree(n->left);
            fell_tree(n->right);
        }
        delete n;
    }

    node *root_ = nullptr;
};

} // namespace

std::unique_ptr<forest> forest_on_new() { return std::make_unique<new_forest>(); }

} // namespace toft::lab
