// SPDX-License-Identifier: MIT
// The inside of <toft/reap.hpp>: how an allocator reaches a reap.
#ifndef TOFT_DETAIL_REAP_HPP
#define TOFT_DETAIL_REAP_HPP

#include <concepts>
#include <cstddef>

#include <toft/allocator.hpp>
#include <toft/detail/cpp20.hpp>
#include <toft/reap.h>

#ifdef TOFT_CPP20

namespace toft {

class reap;

// What owns or is a toft_reap: toft::reap, toft::inline_reap, toft::reap_scope.
template <class R>
concept reap_owner = requires(R &owner) {
    { owner.c_reap() } noexcept -> std::same_as<toft_reap *>;
};

// For toft::allocator<T, toft::reap>: what a container frees is handed out again.
template <>
class source<reap> {
  public:
    source(toft_reap *reap) noexcept : reap_(reap) {}
    source(reap_owner auto &owner) noexcept : reap_(owner.c_reap()) {}

    [[nodiscard]] TOFT_MEMBER_INLINE void *take_array(std::size_t count, std::size_t size,
                                                      std::size_t alignment) const noexcept {
        return toft_reap_alloc_array(reap_, count, size, alignment);
    }
    TOFT_MEMBER_INLINE void give(void *memory, std::size_t size,
                                 std::size_t alignment) const noexcept {
        toft_reap_free(reap_, memory, size, alignment);
    }

    toft_reap *c_reap() const noexcept { return reap_; }
    friend bool operator==(const source &, const source &) = default;

  private:
    toft_reap *reap_;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
