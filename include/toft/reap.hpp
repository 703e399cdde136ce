// SPDX-License-Identifier: MIT
// toft::reap: the reap of <toft/reap.h>, owned. The rules are the same: one thread at a time, sizes
// in bytes, any power-of-two alignment, a free names both; failure is std::bad_alloc here, and
// changes nothing. With -fno-exceptions it aborts, except in try_allocate.
//
//     toft::reap reap;
//     point *p = reap.make<point>(1, 2);
//     reap.destroy(p);
//     toft::list<std::string, toft::reap> names(reap); // of <toft/containers.hpp>
//     reap.reset(); // frees all that is left; the memory is kept
#ifndef TOFT_REAP_HPP
#define TOFT_REAP_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/detail/construct.hpp>
#include <toft/detail/inline_buffer.hpp>
#include <toft/detail/reap.hpp>
#include <toft/reap.h>

#ifdef TOFT_CPP20

namespace toft {

using reap_options = toft_reap_options;
using reap_stats = toft_reap_stats;

template <std::size_t N>
class inline_reap;

TOFT_FILLED_BY_C_BEGIN
class reap {
  public:
    // No memory is taken before it is needed. A static reap is there before any constructor runs.
    constexpr reap() noexcept : reap_(TOFT_REAP_INIT) {}
    explicit reap(const reap_options &options) noexcept { toft_reap_init(&reap_, &options); }
    // Releases it, and so runs no destructor of what lies in it.
    ~reap() {
        if (!toft_arena_holds_nothing(&reap_.arena)) toft_reap_release(&reap_);
    }

    // Pointers into the reap stay valid; scopes and allocators of it do not: a class that owns a
    // reap and containers in it must not move, as docs/choosing.md explains. An assignment releases
    // what this reap held; other may lie in it, but not what other keeps on using, such as its
    // upstream. Where other is an inline_reap that is seen as a reap, its bytes stay behind:
    // nothing then detects that they go with it, so move none by a reference to its base.
    reap(reap &&other) noexcept { toft_reap_move(&reap_, &other.reap_); }
    reap &operator=(reap &&other) noexcept {
        if (this == &other) return *this;
        reap taken(std::move(other)); // first, since other may lie in what is released
        toft_reap_release(&reap_);
        toft_reap_move(&reap_, &taken.reap_);
        return *this;
    }

    template <std::size_t N>
    reap(inline_reap<N> &&) = delete; // its first bytes can't move
    template <std::size_t N>
    reap &operator=(inline_reap<N> &&) = delete;

    // Uninitialised memory: a handful of instructions, inlined.
    [[nodiscard]] void *allocate(std::size_t size,
                                 std::size_t alignment = alignof(std::max_align_t))
        TOFT_LIFETIMEBOUND {
        return detail::or_throw(toft_reap_alloc(&reap_, size, alignment));
    }
    // The same, but nullptr when there is no memory.
    [[nodiscard]] void *try_allocate(std::size_t size,
                                     std::size_t alignment = alignof(std::max_align_t)) noexcept
        TOFT_LIFETIMEBOUND {
        return toft_reap_alloc(&reap_, size, alignment);
    }
    // Frees what was allocated with this size and alignment; nullptr is fine.
    void deallocate(void *memory, std::size_t size,
                    std::size_t alignment = alignof(std::max_align_t)) noexcept {
        toft_reap_free(&reap_, memory, size, alignment);
    }

    // An object, until destroy, or a reset or release, which run no destructor: so its type must
    // have a trivial one. Others are made by toft::make_unique, or by toft::allocator's containers.
    template <class T, class... Args>
        requires detail::makeable<T, reap, Args...> && std::is_trivially_destructible_v<T>
    [[nodiscard]] T *make(Args &&...args) TOFT_LIFETIMEBOUND {
        void *memory = allocate(sizeof(T), alignof(T));
        return detail::construct_or_give<T>(
            source<reap>(&reap_), memory, [&] { deallocate(memory, sizeof(T), alignof(T)); },
            std::forward<Args>(args)...);
    }
    // The comment in the line of the name is a part of compilers' messages.
    template <class T, class... Args>
        requires detail::makeable<T, reap, Args...> && (!std::is_trivially_destructible_v<T>)
    T *make(Args &&...) = delete; // toft: use toft::make_unique<T, toft::reap>(reap, ...)

    // object is of type T itself, not of a derived one: the size must be that of the allocation.
    template <class T>
        requires std::is_trivially_destructible_v<T>
    void destroy(T *object) noexcept {
        toft_reap_free(&reap_, detail::memory_of(object), sizeof(T), alignof(T));
    }

    void reset() noexcept { toft_reap_reset(&reap_); }
    void release() noexcept { toft_reap_release(&reap_); }
    // Linear in the free slots.
    [[nodiscard]] reap_stats stats() const noexcept { return toft_reap_get_stats(&reap_); }

    // The same reap, for C.
    toft_reap *c_reap() noexcept TOFT_LIFETIMEBOUND { return &reap_; }

  private:
    toft_reap reap_;
};
TOFT_FILLED_BY_C_END

// A savepoint that rewinds at the end of its block: what was allocated in the block is freed there.
// So no container from outside may grow in the block: reserve before, or give it another reap. See
// toft_reap_save for what frees do meanwhile. std::bad_alloc when there is no memory for it.
//
//     { toft::reap_scope scratch(reap); ... }
class [[nodiscard]] reap_scope {
  public:
    explicit reap_scope(reap_owner auto &owner) : reap_scope(owner.c_reap()) {}
    explicit reap_scope(toft_reap *reap) : reap_(reap), begin_(toft_reap_save(reap)) {
        if (begin_ == nullptr) detail::throw_bad_alloc();
    }
    ~reap_scope() { toft_reap_rewind(reap_, begin_); }
    reap_scope(const reap_scope &) = delete;
    reap_scope &operator=(const reap_scope &) = delete;

    toft_reap *c_reap() noexcept { return reap_; }

  private:
    toft_reap *reap_;
    toft_reap_savepoint *begin_;
};

// A reap whose first N bytes are in the object itself: nothing is taken from its upstream while
// they suffice. It can't move. A limit_bytes counts TOFT_FIRST_BUFFER_OVERHEAD_BYTES of it as
// well: allow that more.
template <std::size_t N>
class inline_reap : private detail::inline_buffer<N, reap>, public reap {
    using storage = detail::inline_buffer<N, reap>;

  public:
    inline_reap() noexcept : inline_reap(reap_options{}) {}
    // first_buffer of the options is not looked at: it is the object's own.
    explicit inline_reap(const reap_options &options) noexcept
        : reap(detail::with_buffer(options, storage::buffer)) {}
    inline_reap(inline_reap &&) = delete;
    inline_reap &operator=(inline_reap &&) = delete;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
