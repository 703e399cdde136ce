// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "places.hpp"

// Whether the objects of an arena can be placed all at once: by the hook for memory of the library
// that makes them, or by the few wrappers of malloc that all their lines go through.
namespace toft::lab {

struct findings;

inline constexpr std::uint64_t hook_header_bytes = 16; // <toft/current.h>'s, before each object

// Adds the wrappers, and what else comes through them, or from the library.
void add_hook(advice &, const findings &known, places &names);
void forget_hook(advice &);

} // namespace toft::lab
