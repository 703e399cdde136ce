// SPDX-License-Identifier: MIT
// How an adapter that needs C++11 alone reaches a strategy: by its C functions.
#ifndef TOFT_DETAIL_C_CALLS_HPP
#define TOFT_DETAIL_C_CALLS_HPP

#include <cstddef>
#include <type_traits>

#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

namespace toft {
namespace detail {

// The calls of a strategy by one name for all, and the strategy of a C++ owner of it.
template <class Strategy>
struct c_calls;

template <>
struct c_calls<toft_arena> {
    static void *take(toft_arena *arena, std::size_t size, std::size_t alignment) noexcept {
        return toft_arena_alloc(arena, size, alignment);
    }
    static void give(toft_arena *arena, void *memory, std::size_t size, std::size_t) noexcept {
        toft_arena_free_last(arena, memory, size);
    }
    template <class Owner>
    static auto of(Owner &owner) noexcept -> decltype(owner.c_arena()) {
        return owner.c_arena();
    }
};

template <>
struct c_calls<toft_reap> {
    static void *take(toft_reap *reap, std::size_t size, std::size_t alignment) noexcept {
        return toft_reap_alloc(reap, size, alignment);
    }
    static void give(toft_reap *reap, void *memory, std::size_t size,
                     std::size_t alignment) noexcept {
        toft_reap_free(reap, memory, size, alignment);
    }
    template <class Owner>
    static auto of(Owner &owner) noexcept -> decltype(owner.c_reap()) {
        return owner.c_reap();
    }
};

template <>
struct c_calls<toft_pool> {
    static void *take(toft_pool *pool, std::size_t size, std::size_t alignment) noexcept {
        return toft_pool_alloc_aligned(pool, size, alignment);
    }
    static void give(toft_pool *pool, void *memory, std::size_t size,
                     std::size_t alignment) noexcept {
        toft_pool_free_aligned(pool, memory, size, alignment);
    }
    // A temporary that names a pool is fine, as toft::pool::shared(), but not one that owns it.
    template <class Owner>
    static auto of(Owner &&owner) noexcept ->
        typename std::enable_if<std::is_lvalue_reference<Owner>::value ||
                                    std::is_copy_constructible<Owner>::value,
                                decltype(owner.c_pool())>::type {
        return owner.c_pool();
    }
};

} // namespace detail
} // namespace toft

#endif
