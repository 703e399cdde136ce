// SPDX-License-Identifier: MIT
// Doors to and from std::pmr.
//
//     toft::arena arena;
//     toft::arena_resource resource(arena);
//     std::pmr::vector<int> numbers(&resource); // code that knows std::pmr, in a Toft arena
//
//     toft::resource_upstream upstream(std::pmr::new_delete_resource());
//     toft::reap reap({.upstream = upstream.get()}); // a Toft reap on any memory_resource
//
// A resource refers to its strategy, which must outlive it, and two that refer to the same are
// equal, unless they were made by two shared libraries that hide their symbols. The classes are
// final: where the compiler knows the type, it calls without a virtual call. Threads and failure:
// as toft::allocator.
#ifndef TOFT_RESOURCE_HPP
#define TOFT_RESOURCE_HPP

#include <cstddef>
#include <memory_resource>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/arena.hpp>
#include <toft/current.hpp>
#include <toft/detail/cpp20.hpp>
#include <toft/detail/virtual_table.hpp>
#include <toft/pool.hpp>
#include <toft/reap.hpp>

#ifdef TOFT_CPP20

namespace toft {

template <class Strategy>
class strategy_resource final : public std::pmr::memory_resource {
  public:
    strategy_resource() noexcept
        requires std::default_initializable<source<Strategy>>
    = default;
    // From what an allocator of the strategy is made of: its owner, its C struct.
    strategy_resource(source<Strategy> from) noexcept : source_(from) {}
    explicit strategy_resource(auto &&owner) noexcept
        requires std::constructible_from<source<Strategy>, decltype(owner)>
        : source_(std::forward<decltype(owner)>(owner)) {}

    // For an allocator of the same memory: toft::allocator<T, Strategy>(resource.get_source()).
    const source<Strategy> &get_source() const noexcept { return source_; }

  private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override {
        // With the alignment as a constant, the call needs no more instructions for 8, and two more
        // for 16.
        if (alignment <= 8) return take(bytes, 8);
        if (alignment <= 16) return take(bytes, 16);
        return take(bytes, alignment);
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override {
        if (alignment <= 8) return source_.give(memory, bytes, 8);
        if (alignment <= 16) return source_.give(memory, bytes, 16);
        source_.give(memory, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
        if (this == &other) return true;
        return detail::virtual_table(*this) == detail::virtual_table(other) &&
               source_ == static_cast<const strategy_resource &>(other).source_;
    }

    TOFT_MEMBER_INLINE void *take(std::size_t bytes, std::size_t alignment) {
        return detail::or_throw(source_.take_array(1, bytes, alignment));
    }

    source<Strategy> source_;
};

// Gives memory back only if it is the arena's last allocation.
using arena_resource = strategy_resource<arena>;
// What is given back is handed out again.
using reap_resource = strategy_resource<reap>;
// The same, for all threads; also over toft::pool::shared().
using pool_resource = strategy_resource<pool>;
// What is current when memory is asked for: for std::pmr::set_default_resource. It has no state.
using current_resource = strategy_resource<owned_by_current>;

    #if defined(__cpp_exceptions)
inline namespace with_exceptions {
    #else
inline namespace without_exceptions { // which can't catch
    #endif

// A memory_resource as an upstream. It must outlive the arenas, reaps and pools that use it, and
// the resource must outlive it. What the resource throws becomes "no memory".
// The rules of <toft/upstream.h> hold for the resource. A pool calls it on any thread that uses the
// pool, one at a time, under the pool's locks: so it must not use that pool or a newer one. Where
// two pools, or arenas and reaps of several threads, share a resource, it must be a synchronized
// one.
// A file without exceptions has a class of its own, so that the linker doesn't put its functions in
// place of another file's.
class resource_upstream {
  public:
    explicit resource_upstream(
        std::pmr::memory_resource *from = std::pmr::get_default_resource()) noexcept
        : upstream_{take, give, from} {}

    const toft_upstream *get() const noexcept TOFT_LIFETIMEBOUND { return &upstream_; }

  private:
    static void *take(void *context, std::size_t bytes, std::size_t alignment) {
    #if defined(__cpp_exceptions)
        try {
            return static_cast<std::pmr::memory_resource *>(context)->allocate(bytes, alignment);
        } catch (...) {
            return nullptr;
        }
    #else
        return static_cast<std::pmr::memory_resource *>(context)->allocate(bytes, alignment);
    #endif
    }
    // Not called free, which some programs have as a macro.
    static void give(void *context, void *memory, std::size_t bytes, std::size_t alignment) {
        static_cast<std::pmr::memory_resource *>(context)->deallocate(memory, bytes, alignment);
    }

    toft_upstream upstream_;
};

} // inline namespace

} // namespace toft

#endif // TOFT_CPP20
#endif
