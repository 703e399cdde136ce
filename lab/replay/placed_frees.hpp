// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// What a changed program does where it used to free objects that are now in an arena.
namespace toft::lab {

enum class placed_frees : std::uint8_t {
    kept,    // it still comes to each object, and makes no call
    hooked,  // it frees each through its library's hook, as it allocates them: hooked_arenas.hpp
    dropped, // the code that freed them is gone
};

} // namespace toft::lab
