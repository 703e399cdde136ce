// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "places.hpp"

// Whether the objects of an arena can be placed all at once: by the hook for memory of the library
// that makes them, or by the few wrappers of malloc that all their lines go through.
namespace toft::lab {

struct findings;

inline constexpr std::uint64_t hook_header_bytes = 16; // <toft/current.h>'s, before each object

// Adds the wrappers, and what else comes through them, or from the library. A library has no hook
// where most objects come by operator new, or many of the others outlive the region.
void add_hook(advice &, const findings &known, places &names);
// Also what else comes into the arena by the hook, or by the lines.
void forget_hook(advice &);
// Where the others that come by it make the peak memory more than twice as large, once that is
// known: then the lines are changed. False: it stays, or there is none.
bool forget_dear_hook(advice &, const findings &known);

} // namespace toft::lab
