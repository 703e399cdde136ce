// SPDX-License-Identifier: MIT
// Owning pointers, by new and delete.
#include "owning_tree.hpp"

namespace toft::lab {
namespace {

template <class>
struct nothing {};

} // namespace

std::unique_ptr<tree> unique_ptr_tree() { return std::make_unique<owning_tree<nothing>>(); }

} // namespace toft::lab
