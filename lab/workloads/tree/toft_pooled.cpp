// SPDX-License-Identifier: MIT
// The same owning pointers, to a class whose new and delete are the pool's: one base more.
#include "owning_tree.hpp"

#include <toft/pooled.hpp>

namespace toft::lab {

std::unique_ptr<tree> toft_pooled_tree() { return std::make_unique<owning_tree<toft::pooled>>(); }

} // namespace toft::lab
