// SPDX-License-Identifier: MIT
// toft::allocator<T>: the standard containers' door to an arena.
//
//     toft::arena arena;
//     std::vector<int, toft::allocator<int>> numbers(arena);
//
// One pointer wide, no virtual call. deallocate gives memory back only if it is the arena's last
// allocation; the rest goes when the arena is rewound or reset, so the arena must outlive the
// container's last use, and a container that is destroyed later than that must not touch its
// memory: reset only after its end, or never run its destructor. Threads: as the arena. Failure:
// std::bad_alloc.
#ifndef TOFT_ALLOCATOR_HPP
#define TOFT_ALLOCATOR_HPP

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include <toft/arena.h>

namespace toft {

// What owns or is a toft_arena: toft::arena, toft::inline_arena, toft::scope.
template <class A>
concept arena_owner = requires(A &owner) {
    { owner.c_arena() } noexcept -> std::same_as<toft_arena *>;
};

namespace detail {

[[noreturn]] TOFT_COLD inline void throw_bad_alloc() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    std::abort();
#endif
}

[[nodiscard]] inline void *or_throw(void *memory) {
    if (memory == nullptr) [[unlikely]]
        throw_bad_alloc();
    return memory;
}

} // namespace detail

template <class T>
class allocator {
  public:
    using value_type = T;

    // Assignment leaves an existing container in its own arena, so that a long-lived one never
    // comes to point into a short-lived one unawares. Moves and swaps take the arena along: they
    // are then constant time and never invalidate, as they must for containers that trade their
    // nodes.
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::false_type;

    allocator(toft_arena *arena) noexcept : arena_(arena) {}
    allocator(arena_owner auto &owner) noexcept : arena_(owner.c_arena()) {}
    template <class U>
    allocator(const allocator<U> &other) noexcept : arena_(other.c_arena()) {}

    // n uninitialised objects.
    [[nodiscard]] T *allocate(std::size_t n) {
        return static_cast<T *>(
            detail::or_throw(toft_arena_alloc_array(arena_, n, sizeof(T), alignof(T))));
    }

    void deallocate(T *objects, std::size_t n) noexcept {
        toft_arena_free_last(arena_, objects, n * sizeof(T));
    }

    toft_arena *c_arena() const noexcept { return arena_; }

    template <class U>
    bool operator==(const allocator<U> &other) const noexcept {
        return arena_ == other.c_arena();
    }

  private:
    toft_arena *arena_;
};

} // namespace toft

#endif
