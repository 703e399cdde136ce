// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

// Which of the recorded objects are made by one of Toft's strategies, by the stacks that allocated
// them.
namespace toft::lab {

enum class object_home : std::uint8_t { heap, arena, pool };

struct placed {
    object_home home = object_home::heap;
    std::uint32_t group = 0; // of sites whose objects share an arena on each thread
};

struct placement {
    std::unordered_map<std::uint32_t, placed> of_stack; // index in recording::stacks
};

} // namespace toft::lab
