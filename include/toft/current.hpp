// SPDX-License-Identifier: MIT
// The strategy that a thread uses for now: <toft/current.h> for C++. For allocators that nobody can
// hand an arena to, since a container or a library makes them by default.
//
//     toft::arena arena;
//     {
//         toft::use here(arena);
//         tree t = parse(text); // its std::vector<node, toft::current_allocator<node>>, by default
//         answer(t);            // constructed, lie in the arena
//     }
//     arena.reset();
//
// Rules of uses: as for toft_current_push. An exception ends those that it leaves; where new.hpp is
// in the program, its text goes with the arena.
//
// A current_allocator takes the strategy that is current when it is made, and keeps it: a container
// of the use must not touch its memory after the arena's reset. Made outside of all uses, it takes
// the shared pool. A copy of a container takes what is current when the copy is made: copy a result
// outside of the use to keep it. A move takes the memory along, and copy assignment leaves the
// container where it is. Two are equal if they keep the same strategy.
//
// A std::vector that grows copies those elements whose move may throw. So a long-lived one that
// grows within a use would have them in the arena from then on: of the containers here, those are
// the std::deque of libstdc++, and what has one as a member. Give such an element a move that is
// noexcept, or have the vector grow outside of uses.
#ifndef TOFT_CURRENT_HPP
#define TOFT_CURRENT_HPP

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/arena.hpp>
#include <toft/current.h>
#include <toft/detail/cpp20.hpp>
#include <toft/pool.hpp>
#include <toft/reap.hpp>

#ifdef TOFT_CPP20

namespace toft {

class current;          // toft::vector<int, toft::current>: whatever an allocator was made with
class owned_by_current; // an allocator without state, whose objects know their owners

template <>
class source<current> {
  public:
    source() noexcept : strategy_(toft_current_get()) {}
    source(toft_strategy strategy) noexcept : strategy_(strategy) {}
    source(toft_arena *arena) noexcept : strategy_(toft_strategy_of_arena(arena)) {}
    source(toft_reap *reap) noexcept : strategy_(toft_strategy_of_reap(reap)) {}
    source(toft_pool *pool) noexcept : strategy_(toft_strategy_of_pool(pool)) {}
    source(arena_owner auto &owner) noexcept : source(owner.c_arena()) {}
    source(reap_owner auto &owner) noexcept : source(owner.c_reap()) {}
    source(std::convertible_to<pool_ref> auto &&door) noexcept
        : source(static_cast<pool_ref>(door).c_pool()) {}

    [[nodiscard]] TOFT_MEMBER_INLINE void *take_array(std::size_t count, std::size_t size,
                                                      std::size_t alignment) const noexcept {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
        return toft_strategy_alloc(strategy_, bytes, alignment);
    }
    TOFT_MEMBER_INLINE void give(void *memory, std::size_t size,
                                 std::size_t alignment) const noexcept {
        toft_strategy_free(strategy_, memory, size, alignment);
    }

    static constexpr bool copies_look_up = true; // a copied container takes what is current now

    toft_strategy c_strategy() const noexcept { return strategy_; }
    friend bool operator==(const source &a, const source &b) noexcept {
        return a.strategy_.word == b.strategy_.word;
    }

  private:
    toft_strategy strategy_;
};

// toft_current_alloc_aligned and toft_current_free.
template <>
class source<owned_by_current> {
  public:
    [[nodiscard]] TOFT_MEMBER_INLINE void *take_array(std::size_t count, std::size_t size,
                                                      std::size_t alignment) const noexcept {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
        return toft_current_alloc_aligned(bytes, alignment);
    }
    TOFT_MEMBER_INLINE void give(void *memory, std::size_t, std::size_t) const noexcept {
        toft_current_free(memory);
    }
    friend bool operator==(const source &, const source &) = default;
};

// The strategy of an arena, a reap, a pool or a toft_strategy is the calling thread's to the end of
// the block.
class [[nodiscard]] use {
  public:
    explicit use(auto &&owner) noexcept
        requires std::constructible_from<source<current>, decltype(owner)>
        : block_(toft_current_push(
              source<current>(std::forward<decltype(owner)>(owner)).c_strategy())) {}
    ~use() { toft_current_pop(block_); }
    use(const use &) = delete;
    use &operator=(const use &) = delete;

  private:
    toft_current_use block_;
};

template <class T>
using current_allocator = allocator<T, current>;

// For containers that make an allocator anew each time they need one, to allocate or to free. It
// has no state, and what it allocates is freed rightly whichever strategy is current then, while
// its own has it: see toft_current_free. In an arena or a reap that takes 16 bytes for each
// allocation.
template <class T>
using owned_by_current_allocator = allocator<T, owned_by_current>;

} // namespace toft

#endif // TOFT_CPP20
#endif
