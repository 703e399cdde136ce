// SPDX-License-Identifier: MIT
// toft::pool: the pool of <toft/pool.h>, owned. The rules are the same: any thread may allocate and
// any may free; sizes in bytes, any power-of-two alignment; failure is std::bad_alloc here. With
// -fno-exceptions it aborts, except in try_allocate.
//
//     auto *n = toft::pool::shared().make<node>(1, 2);
//     toft::pool::shared().destroy(n);
//     std::list<job, toft::pool_allocator<job>> queue; // no state: its size is std::list's own
//
//     toft::pool mine({.limit_bytes = 64 << 20}); // frees everything at once when it dies
//     toft::map<int, int, toft::pool> counts(mine); // of <toft/containers.hpp>
//     toft::pool_handle handle(mine); // one thread's, for the hottest loops
//     for (auto &job : jobs) job.note = handle.make<note>();
#ifndef TOFT_POOL_HPP
#define TOFT_POOL_HPP

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/detail/construct.hpp>
#include <toft/detail/cpp20.hpp>
#include <toft/pool.h>
#include <toft/unique_ptr.hpp>

#ifdef TOFT_CPP20

namespace toft {

using pool_options = toft_pool_options;
using pool_stats = toft_pool_stats;

class pool;

namespace detail {

// What one can do with a pool, whichever way one came by it: Door has c_cache(), the calling
// thread's cache, and converts to source<Strategy>.
template <class Door, class Strategy>
class pool_operations {
  public:
    // Uninitialised memory; without an alignment, aligned to 16 from a size of 9 bytes on.
    [[nodiscard]] void *allocate(std::size_t size) const { return or_throw(try_allocate(size)); }
    [[nodiscard]] void *allocate(std::size_t size, std::size_t alignment) const {
        return or_throw(try_allocate(size, alignment));
    }
    // The same, but nullptr when there is no memory.
    [[nodiscard]] void *try_allocate(std::size_t size) const noexcept {
        return toft_pool_cache_alloc(door().c_cache(), size);
    }
    [[nodiscard]] void *try_allocate(std::size_t size, std::size_t alignment) const noexcept {
        return toft_pool_cache_alloc_aligned(door().c_cache(), size, alignment);
    }

    // With the size of the allocation, and its alignment if it named one. nullptr is fine.
    void deallocate(void *object, std::size_t size) const noexcept {
        toft_pool_cache_free(door().c_cache(), object, size);
    }
    void deallocate(void *object, std::size_t size, std::size_t alignment) const noexcept {
        toft_pool_cache_free_aligned(door().c_cache(), object, size, alignment);
    }

    // What takes an allocator of such a pool holds what it holds in this one too.
    template <class T, class... Args>
        requires detail::makeable<T, Strategy, Args...>
    [[nodiscard]] T *make(Args &&...args) const {
        void *memory = allocate(sizeof(T), alignof(T));
        return detail::construct_or_give<T>(
            source<Strategy>(door()), memory, [&] { deallocate(memory, sizeof(T), alignof(T)); },
            std::forward<Args>(args)...);
    }

    // What make<T> returned, as a pointer to that very T. nullptr is fine.
    template <class T>
    void destroy(T *object) const noexcept {
        if (object == nullptr) return;
        std::destroy_at(object);
        deallocate(detail::memory_of(object), sizeof(T), alignof(T));
    }

    // Freed with its owner, by whichever thread that is. The pool must live as long.
    template <class T, class... Args>
        requires detail::makeable<T, Strategy, Args...>
    [[nodiscard]] unique_ptr<T, Strategy> make_unique(Args &&...args) const {
        return unique_ptr<T, Strategy>(make<T>(std::forward<Args>(args)...),
                                       source<Strategy>(door()));
    }
    // n objects, value-initialised: make_unique<int[]>(n).
    template <class Array>
        requires detail::makeable_array<Array, Strategy>
    [[nodiscard]] unique_ptr<Array, Strategy> make_unique(std::size_t n) const {
        return toft::make_unique<Array, Strategy>(source<Strategy>(door()), n);
    }

  private:
    const Door &door() const noexcept { return static_cast<const Door &>(*this); }
};

// The same, and what one can do with a pool as a whole: Door has c_pool().
template <class Door, class Strategy>
class whole_pool_operations : public pool_operations<Door, Strategy> {
  public:
    void trim() const noexcept { toft_pool_trim(c_pool()); }
    [[nodiscard]] pool_stats stats() const noexcept { return toft_pool_get_stats(c_pool()); }
    // The calling thread's cache of the pool, for C.
    toft_pool_cache *c_cache() const noexcept { return toft_pool_current_cache(c_pool()); }

  private:
    toft_pool *c_pool() const noexcept { return static_cast<const Door &>(*this).c_pool(); }
};

} // namespace detail

// A pool that someone else owns: a pointer, to be passed by value. Must not outlive it.
class pool_ref : public detail::whole_pool_operations<pool_ref, pool> {
  public:
    pool_ref(toft_pool *pool) noexcept : pool_(pool) {}

    toft_pool *c_pool() const noexcept { return pool_; } // the same pool, for C
    friend bool operator==(pool_ref a, pool_ref b) noexcept { return a.pool_ == b.pool_; }

  private:
    toft_pool *pool_;
};

// The process's own pool: an empty type, whose every use compiles to a direct one.
class shared_pool : public detail::whole_pool_operations<shared_pool, shared_pool> {
  public:
    operator pool_ref() const noexcept { return c_pool(); }
    toft_pool *c_pool() const noexcept { return toft_pool_shared(); }
    friend bool operator==(shared_pool, shared_pool) noexcept { return true; }
};

// A pool of your own. Its end frees everything in it at once; no destructor runs. It converts to a
// pool_ref and isn't one: what assigned to it as such would free one pool twice.
class pool : public detail::whole_pool_operations<pool, pool> {
  public:
    pool() : pool(pool_options{}) {}
    explicit pool(const pool_options &options)
        : pool_(static_cast<toft_pool *>(detail::or_throw(toft_pool_create(&options)))) {}
    ~pool() { toft_pool_destroy(pool_); }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;

    // Objects, allocators and handles stay valid. What was moved from has no pool: it may be
    // assigned to and destroyed. Any other use is an error, which an assertion tells; with NDEBUG
    // it reads at a null pointer.
    pool(pool &&other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
    pool &operator=(pool &&other) noexcept {
        // First, since other may lie in this one's pool, which goes with `former`.
        pool former(std::move(other));
        std::swap(pool_, former.pool_);
        return *this;
    }

    operator pool_ref() const & noexcept { return c_pool(); }
    operator pool_ref() const && = delete; // whoever keeps it would outlive the pool
    toft_pool *c_pool() const noexcept {
        assert(pool_ != nullptr && "toft: a pool is used that was moved from");
        return pool_;
    }

    static constexpr shared_pool shared() noexcept { return {}; }

  private:
    toft_pool *pool_;
};

// The calling thread's cache of a pool: no thread-local variable is looked up. For this thread
// alone, until it exits or the pool dies.
class pool_handle : public detail::pool_operations<pool_handle, pool> {
  public:
    explicit pool_handle(pool_ref pool) noexcept : cache_(toft_pool_thread_cache(pool.c_pool())) {}

    toft_pool_cache *c_cache() const noexcept { return cache_; }
    // The pool, which all threads may use.
    operator pool_ref() const noexcept { return cache_->pool; }

  private:
    toft_pool_cache *cache_;
};

// The standard containers' door to the shared pool: an empty allocator, with one parameter, as a
// template that wants allocators as templates asks for. Over a pool of your own it is
// toft::allocator<T, toft::pool>, and the short names of <toft/containers.hpp> take both.
template <class T>
using pool_allocator = allocator<T, shared_pool>;

} // namespace toft

#endif // TOFT_CPP20

#include <toft/detail/pool.hpp>

#endif
