// SPDX-License-Identifier: MIT
// The first buffer of toft::inline_arena and toft::inline_reap, inside the object.
#ifndef TOFT_DETAIL_INLINE_BUFFER_HPP
#define TOFT_DETAIL_INLINE_BUFFER_HPP

#include <cstddef>

#include <toft/arena.h>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft::detail {

// A base class, so that it lives before and after the arena or reap that uses it. Each owner has a
// base of its own type, so that one class may derive from two of them.
template <std::size_t N, class Owner>
struct inline_buffer {
    alignas(16) std::byte buffer[(N + 7) / 8 * 8 + TOFT_FIRST_BUFFER_OVERHEAD_BYTES];
};

// The options of an arena or reap, with this first buffer.
inline toft_arena_options with_buffer(toft_arena_options options, auto &buffer) noexcept {
    options.first_buffer = buffer;
    options.first_buffer_bytes = sizeof(buffer);
    return options;
}

} // namespace toft::detail

#endif // TOFT_CPP20
#endif
