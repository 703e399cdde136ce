// SPDX-License-Identifier: MIT
// The inside of <toft/pool.hpp>: how an allocator reaches a pool.
#ifndef TOFT_DETAIL_POOL_HPP
#define TOFT_DETAIL_POOL_HPP

#include <concepts>
#include <cstddef>

#include <toft/detail/cpp20.hpp>
#include <toft/pool.hpp>

#ifdef TOFT_CPP20

namespace toft {

// For toft::allocator<T, toft::pool>: over a pool of your own, or over any.
template <>
class source<pool> {
  public:
    source(toft_pool *pool) noexcept : pool_(pool) {}
    source(std::convertible_to<pool_ref> auto &&door) noexcept
        : pool_(static_cast<pool_ref>(door).c_pool()) {}

    [[nodiscard]] void *take_array(std::size_t count, std::size_t size,
                                   std::size_t alignment) const noexcept {
        return toft_pool_alloc_array_aligned(pool_, count, size, alignment);
    }
    void give(void *memory, std::size_t size, std::size_t alignment) const noexcept {
        toft_pool_free_aligned(pool_, memory, size, alignment);
    }

    toft_pool *c_pool() const noexcept { return pool_; }
    friend bool operator==(const source &, const source &) = default;

  private:
    toft_pool *pool_;
};

// The same over the shared pool: empty.
template <>
class source<shared_pool> {
  public:
    source() = default;
    source(shared_pool) noexcept {}
    [[nodiscard]] void *take_array(std::size_t count, std::size_t size,
                                   std::size_t alignment) const noexcept {
        return source<pool>(c_pool()).take_array(count, size, alignment);
    }
    void give(void *memory, std::size_t size, std::size_t alignment) const noexcept {
        source<pool>(c_pool()).give(memory, size, alignment);
    }

    toft_pool *c_pool() const noexcept { return toft_pool_shared(); }
    friend bool operator==(const source &, const source &) = default;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
