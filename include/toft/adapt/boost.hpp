// SPDX-License-Identifier: MIT
// Toft's memory for Boost.JSON and Boost.Container: resources with the base class that both take,
// boost::container::pmr::memory_resource. It isn't std::pmr's, which <toft/resource.hpp> is for.
//
//     toft::arena arena; // in C++17: toft_arena arena = TOFT_ARENA_INIT;
//     toft::boost_arena_resource memory(arena); // or memory(&arena), with a toft_arena
//     {
//         boost::json::value document = boost::json::parse(text, &memory);
//         boost::container::pmr::vector<int> numbers(&memory);
//         ...
//     }
//     arena.reset(); // or toft_arena_reset(&arena);
//
// A resource refers to its strategy, which must outlive it, and two that refer to the same are
// equal, unless they were made by two shared libraries that hide their symbols. Memory has the
// alignment that is asked for. Failure is std::bad_alloc: when there is no memory, or a limit would
// be exceeded. Threads: as the strategy. Boost.JSON frees nothing in an arena, since that would be
// without effect: a value's destructor doesn't look at its elements there. It must know the type
// for that: a storage_ptr that is made from a pointer to the base frees them one by one.
//
// This header needs C++11 alone, and a program that doesn't use Boost.JSON needn't have it.
#ifndef TOFT_ADAPT_BOOST_HPP
#define TOFT_ADAPT_BOOST_HPP

#include <cstddef>
#include <memory> // for std::__throw_bad_alloc, which has no header of its own
#include <utility>

#include <boost/container/pmr/memory_resource.hpp>

#include <toft/detail/c_calls.hpp>
#include <toft/detail/virtual_table.hpp>

namespace toft {

template <class Strategy>
class boost_resource final : public boost::container::pmr::memory_resource {
    using calls = detail::c_calls<Strategy>;

  public:
    explicit boost_resource(Strategy *strategy) noexcept : strategy_(strategy) {}
    explicit boost_resource(std::nullptr_t) = delete;
    template <class Owner, class = decltype(calls::of(std::declval<Owner>()))>
    explicit boost_resource(Owner &&owner) noexcept
        : strategy_(calls::of(std::forward<Owner>(owner))) {}

  private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override {
        void *memory = calls::take(strategy_, bytes, alignment);
        if (TOFT_UNLIKELY(memory == nullptr)) std::__throw_bad_alloc();
        return memory;
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t alignment) override {
        calls::give(strategy_, memory, bytes, alignment);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override {
        return detail::virtual_table(*this) == detail::virtual_table(other) &&
               strategy_ == static_cast<const boost_resource &>(other).strategy_;
    }

    Strategy *strategy_;
};

// Gives memory back only if it is the arena's last allocation; Boost.JSON never does.
using boost_arena_resource = boost_resource<toft_arena>;
// What is given back is handed out again.
using boost_reap_resource = boost_resource<toft_reap>;
// The same, for all threads; also over toft_pool_shared().
using boost_pool_resource = boost_resource<toft_pool>;

} // namespace toft

namespace boost {
namespace json {

template <class T>
struct is_deallocate_trivial; // Boost.JSON's, for programs that include it after this header

template <>
struct is_deallocate_trivial<toft::boost_arena_resource> {
    static constexpr bool value = true;
};

} // namespace json
} // namespace boost

#endif
