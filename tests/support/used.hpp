// SPDX-License-Identifier: MIT
// How much of an arena or a reap is in use.
#pragma once

#include <cstddef>

#include <toft/arena.hpp>
#include <toft/reap.hpp>

#include "support/build.hpp"

namespace toft_test {

inline std::size_t used(toft::arena &arena) { return arena.stats().used_bytes; }
inline std::size_t used(toft::reap &reap) { return reap.stats().used_bytes; }

inline std::size_t used(toft_arena *arena) { return toft_arena_get_stats(arena).used_bytes; }
inline std::size_t used(toft_reap *reap) { return toft_reap_get_stats(reap).used_bytes; }

// While a tool tracks memory, a reap has a table of its own in its arena.
inline bool is_empty(toft::reap &reap) { return address_sanitizer || used(reap) == 0; }
inline bool is_empty(toft_reap *reap) { return address_sanitizer || used(reap) == 0; }

} // namespace toft_test
