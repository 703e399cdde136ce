// SPDX-License-Identifier: MIT
// The inside of <toft/allocator.hpp>: how an allocator reaches the memory of a strategy.
#ifndef TOFT_DETAIL_SOURCE_HPP
#define TOFT_DETAIL_SOURCE_HPP

#include <concepts>
#include <cstddef>
#include <memory> // for std::__throw_bad_alloc, which has no header of its own

#include <toft/arena.h>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft {

class arena;

// What owns or is a toft_arena: toft::arena, toft::inline_arena, toft::scope.
template <class A>
concept arena_owner = requires(A &owner) {
    { owner.c_arena() } noexcept -> std::same_as<toft_arena *>;
};

namespace detail {

// What owns an arena, a reap or a pool, and isn't what this source is made from.
template <class Owner, class Source>
concept owner_of_other =
    !std::constructible_from<Source, Owner &> &&
    (requires(Owner &owner) { owner.c_arena(); } || requires(Owner &owner) { owner.c_reap(); } ||
     requires(Owner &owner) { owner.c_pool(); });

// By the standard library's function, which is the same for files with exceptions and without: a
// program may have both, and the linker keeps one definition of each inline function. Where nothing
// catches it, the program aborts.
[[noreturn]] TOFT_COLD inline void throw_bad_alloc() { std::__throw_bad_alloc(); }

[[nodiscard]] inline void *or_throw(void *memory) {
    if (memory == nullptr) [[unlikely]]
        throw_bad_alloc();
    return memory;
}

} // namespace detail

// The trait point: how an allocator reaches the memory of a strategy. A new strategy specialises
// it. A specialisation is copyable, comparable, made implicitly from whatever owns such memory, and
// has take_array and give as the one below. Where it is empty, so is the allocator, and all
// allocators of its kind are equal. take_array and give are always inlined: only then does a size
// that the compiler knows cost nothing.
template <class Strategy>
class source;

template <>
class source<arena> {
  public:
    source(toft_arena *arena) noexcept : arena_(arena) {}
    source(arena_owner auto &owner) noexcept : arena_(owner.c_arena()) {}

    // nullptr when there is no memory, or too much is asked for.
    [[nodiscard]] TOFT_MEMBER_INLINE void *take_array(std::size_t count, std::size_t size,
                                                      std::size_t alignment) const noexcept {
        return toft_arena_alloc_array(arena_, count, size, alignment);
    }
    // Gives memory back only if it is the arena's last allocation.
    TOFT_MEMBER_INLINE void give(void *memory, std::size_t size, std::size_t) const noexcept {
        toft_arena_free_last(arena_, memory, size);
    }

    toft_arena *c_arena() const noexcept { return arena_; }
    friend bool operator==(const source &, const source &) = default;

  private:
    toft_arena *arena_;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
