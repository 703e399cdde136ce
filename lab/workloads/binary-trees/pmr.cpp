// SPDX-License-Identifier: MIT
// The standard library's resources, each freed at one stroke: a region that only grows, the same
// over one buffer that holds the whole tree and is kept for the next, and a pool.
#include "forest.hpp"
#include "game.hpp"
#include "node.hpp"
#include "workloads/direct_resource.hpp"

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>

namespace toft::lab {
namespace {

template <class Resource>
node *plant_in(direct_resource<Resource> &resource, unsigned depth) {
    auto make = [&] { return new (resource.take(sizeof(node), alignof(node))) node; };
    return plant_tree(depth, make);
}

template <class Resource>
class resource_forest final : public forest {
  public:
    void plant(unsigned depth) override { root_ = plant_in(resource_, depth); }
    std::uint64_t walk() override { return count_nodes(root_); }
    void fell() override { resource_.release(); }

  private:
    direct_resource<Resource> resource_;
    node *root_ = nullptr;
};

class buffer_forest final : public forest {
  public:
    void plant(unsigned depth) override {
        const std::uint64_t bytes = nodes_of_perfect_tree(depth) * sizeof(node);
        if (bytes_ < bytes) {
            bytes_ = bytes;
            buffer_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
            resource_.emplace(buffer_.get(), bytes);
        }
        root_ = plant_in(*resource_, depth);
    }
    std::uint64_t walk() override { return count_nodes(root_); }
    void fell() override { resource_->release(); }

  private:
    std::size_t bytes_ = 0;
    std::unique_ptr<std::byte[]> buffer_;
    std::optional<direct_resource<std::pmr::monotonic_buffer_resource>> resource_;
    node *root_ = nullptr;
};

} // namespace

std::unique_ptr<forest> forest_on_pmr_monotonic() {
    return std::make_unique<resource_forest<std::pmr::monotonic_buffer_resource>>();
}
std::unique_ptr<forest> forest_on_pmr_buffer() { return std::make_unique<buffer_forest>(); }
std::unique_ptr<forest> forest_on_pmr_pool() {
    return std::make_unique<resource_forest<std::pmr::unsynchronized_pool_resource>>();
}

} // namespace toft::lab
