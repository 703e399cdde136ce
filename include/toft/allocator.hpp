// SPDX-License-Identifier: MIT
// toft::allocator<T, Strategy>: the standard containers' door to an arena, a reap or a pool.
//
//     toft::arena arena;
//     std::vector<int, toft::allocator<int>> numbers(arena);
//     toft::reap reap;
//     std::list<int, toft::allocator<int, toft::reap>> queue(reap);
//
// One pointer wide, no virtual call; <toft/containers.hpp> has short names. A container must not
// touch its memory after the strategy was rewound past it, reset or released: end it before, or
// never run its destructor. Threads: as the strategy. Failure: std::bad_alloc.
#ifndef TOFT_ALLOCATOR_HPP
#define TOFT_ALLOCATOR_HPP

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <toft/arena.h>
#include <toft/cpp20.hpp>
#include <toft/uses_allocator.hpp>

#ifdef TOFT_CPP20

namespace toft {

class arena;

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

// The trait point: how an allocator reaches the memory of a strategy. A specialisation is copyable,
// comparable, made implicitly from whatever owns such memory, and has take_array and give as this
// one. Where it is empty, so is the allocator, and all of its kind are equal. Both are inlined come
// what may: only then does a size that the compiler knows cost nothing.
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

template <class T, class Strategy = arena>
class allocator : public source<Strategy> {
  public:
    using value_type = T;

    // Assignment leaves an existing container in its own memory, so that a long-lived one never
    // comes to point into a short-lived one unawares. Moves and swaps take the memory along: they
    // are then constant time and never invalidate, as they must for containers that trade their
    // nodes.
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::is_empty<source<Strategy>>;

    using source<Strategy>::source;
    allocator()
        requires std::default_initializable<source<Strategy>>
    = default;
    template <class U>
    allocator(const allocator<U, Strategy> &other) noexcept : source<Strategy>(other) {}

    // n uninitialised objects.
    [[nodiscard]] TOFT_MEMBER_INLINE T *allocate(std::size_t n) {
        return static_cast<T *>(detail::or_throw(this->take_array(n, sizeof(T), alignof(T))));
    }
    TOFT_MEMBER_INLINE void deallocate(T *objects, std::size_t n) noexcept {
        this->give(objects, n * sizeof(T), alignof(T));
    }

    // An element that takes an allocator gets this one: see <toft/uses_allocator.hpp>. For other
    // elements there is no construct, and containers do what they do best.
    template <class U, class... Args>
        requires detail::asks_for<U, allocator>
    void construct(U *object, Args &&...args) {
        detail::construct_with(object, *this, std::forward<Args>(args)...);
    }
};

} // namespace toft

#endif // TOFT_CPP20
#endif
