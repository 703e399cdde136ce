// SPDX-License-Identifier: MIT
#pragma once

#include "stack_tree.hpp"

#include <cstdint>
#include <vector>

// Which calls of one thread go on. Only events of the heap are seen, so a call has gone on since it
// was first seen, until an event of its thread comes from outside of it.
namespace toft::lab {

class activations {
  public:
    activations() : path_{{0, 0}} {}

    // An event of this thread at this stack; moments only grow. Returns the depth of the innermost
    // call that went on since the event before.
    std::uint32_t see(const stack_tree &, std::uint32_t node, std::uint64_t moment);

    // The depth of the innermost call that has gone on since that moment, an earlier event's.
    std::uint32_t depth_since(std::uint64_t moment) const;

  private:
    struct call {
        std::uint32_t node;
        std::uint64_t entered; // when it was first seen; grows with the depth
    };
    std::vector<call> path_; // by depth; the root is always there
};

} // namespace toft::lab
