// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

// The ways of keeping a perfect binary tree in memory that the suite compares in C++; Go's are in
// go/internal/binarytrees, and do the same.
namespace toft::lab {

// Holds one tree at a time, for one thread.
class forest {
  public:
    virtual ~forest() = default;
    virtual void plant(unsigned depth) = 0; // makes the tree, of 2^(depth + 1) - 1 nodes
    virtual std::uint64_t walk() = 0;       // counts its nodes by following their links
    virtual void fell() = 0;                // frees it; another may be planted
};

using forest_maker = std::unique_ptr<forest>();

std::unique_ptr<forest> forest_on_new();
std::unique_ptr<forest> forest_on_pmr_monotonic();
std::unique_ptr<forest> forest_on_pmr_buffer();
std::unique_ptr<forest> forest_on_pmr_pool();
std::unique_ptr<forest> forest_on_toft();

} // namespace toft::lab
