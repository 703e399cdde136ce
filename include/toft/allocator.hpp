// SPDX-License-Identifier: MIT
// toft::allocator<T, Strategy>: the standard containers' door to an arena, a reap or a pool.
//
//     toft::arena arena;
//     std::vector<int, toft::allocator<int>> numbers(arena);
//     toft::reap reap;
//     std::list<int, toft::allocator<int, toft::reap>> queue(reap);
//
// Include the header of the strategy as well: <toft/arena.hpp>, <toft/reap.hpp> or <toft/pool.hpp>.
// One pointer wide, no virtual call; <toft/containers.hpp> has short names. A container must not
// touch its memory after the strategy was rewound past it, reset or released: end it before, or
// never run its destructor. Threads: as the strategy. Failure: std::bad_alloc; with -fno-exceptions
// the program aborts. How an allocator reaches a strategy, and how to add one, is in
// <toft/detail/source.hpp>.
#ifndef TOFT_ALLOCATOR_HPP
#define TOFT_ALLOCATOR_HPP

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <toft/detail/cpp20.hpp>
#include <toft/detail/source.hpp>
#include <toft/detail/uses_allocator.hpp>

#ifdef TOFT_CPP20

namespace toft {

namespace detail {

template <class Strategy>
bool same_source(const source<Strategy> &a, const source<Strategy> &b) noexcept {
    return a == b;
}

} // namespace detail

template <class T, class Strategy = arena>
class allocator : public source<Strategy> {
  public:
    using value_type = T;

    // Copy assignment leaves a container in its own memory. Moves, move assignment too, and swaps
    // take the memory along: they are then constant time and never invalidate, as containers that
    // trade their nodes need it. So name = make_name(scratch), and name.assign() too, leave a
    // long-lived name in the scratch arena; name = toft::string(make_name(scratch), keep) copies.
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::is_empty<source<Strategy>>;

    using source<Strategy>::source;
    allocator()
        requires std::default_initializable<source<Strategy>>
    = default;
    // Some members of containers make an allocator by default, as a string's substr does, and [] of
    // a map whose keys are strings: make the string with the arena there. Where a library makes the
    // container itself, give it a toft::pool_allocator<T>, or a toft::current_allocator<T> of
    // <toft/current.hpp>: those can be made by default. The comments that begin with "toft:" are a
    // part of compilers' messages.
    allocator() // toft: pass the arena: v(arena), string(..., arena); in a library: pool_allocator
        requires(!std::default_initializable<source<Strategy>>)
    = delete;
    allocator(std::nullptr_t) = delete;
    template <detail::owner_of_other<source<Strategy>> Owner> // const: clang 14 hides source's own
    allocator(const Owner &) = delete; // toft: name its strategy: toft::vector<T, toft::reap>
    allocator(const source<Strategy> &from) noexcept : source<Strategy>(from) {}
    template <class U>
    allocator(const allocator<U, Strategy> &other) noexcept : source<Strategy>(other) {}

    // Where the namespace of T has a template that compares any two constant objects, these and the
    // one below are closer matches than it, and the sources' own are not: containers would take
    // each other's memory.
    friend bool operator==(const allocator &a, const allocator &b) noexcept {
        return detail::same_source<Strategy>(a, b);
    }
    friend bool operator==(const allocator &a, const source<Strategy> &b) noexcept {
        return detail::same_source<Strategy>(a, b);
    }

    // A copy of a container lies where its original does, unless the strategy is looked up.
    allocator select_on_container_copy_construction() const
        requires requires { source<Strategy>::copies_look_up; }
    {
        return {};
    }

    // n uninitialised objects.
    [[nodiscard]] TOFT_MEMBER_INLINE T *allocate(std::size_t n) {
        return static_cast<T *>(detail::or_throw(this->take_array(n, sizeof(T), alignof(T))));
    }
    TOFT_MEMBER_INLINE void deallocate(T *objects, std::size_t n) noexcept {
        this->give(objects, n * sizeof(T), alignof(T));
    }

    // An element that takes an allocator gets this one: see <toft/detail/uses_allocator.hpp>. For
    // other elements there is no construct, and containers construct them as they do by default.
    template <class U, class... Args>
        requires detail::asks_for<U, allocator>
    void construct(U *object, Args &&...args) {
        detail::construct_with(object, *this, std::forward<Args>(args)...);
    }
};

template <class T, class U, class Strategy>
bool operator==(const allocator<T, Strategy> &a, const allocator<U, Strategy> &b) noexcept {
    return detail::same_source<Strategy>(a, b);
}

} // namespace toft

#endif // TOFT_CPP20
#endif
