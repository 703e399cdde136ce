// SPDX-License-Identifier: MIT
// toft::pooled: a public base for classes whose objects are made by new and freed by delete. Their
// memory comes from the shared pool then, and all code that uses the class stays as it is:
//
//     struct node : toft::pooled<node> {
//         std::unique_ptr<node> left, right;
//     };
//     auto root = std::make_unique<node>(); // which ends by delete, on any thread
//
// In a private base std::make_unique would find neither new nor delete. The base has no members: an
// object is as large as without it. The compiler tells delete the size, and so no object has a
// header. Where new is inlined, memory is some eight instructions away.
//
// A class derived from a pooled one is pooled too, of whatever size; it doesn't name the base
// again. Deleted by a pointer to its base class, it needs a virtual destructor there, as everywhere
// in C++. A class with two pooled bases says whose new and delete it has (and new[] and delete[],
// for arrays of it), since the compiler can't choose:
//
//     struct button : shape, listener {
//         using shape::operator new, shape::operator delete;
//     };
//
// An aggregate's braces begin with {} for its base: `new node{{}, left, right}`.
//
// A coroutine's promise may be pooled; the coroutine's whole state then lies in the pool.
//
// In memory of your own, make an object by `::new (memory) node`. There is no such new in the base:
// C++ gives a coroutine's arguments to its promise's new, so that the state of one that is called
// with a pointer would be written over what the pointer leads to.
//
// Not by the class's own new: std::make_shared and containers, which take their memory from an
// allocator. Give them a toft::pool_allocator (std::allocate_shared), of <toft/pool.hpp>.
//
// Failure: the new-handler is called, as the standard says; without one std::bad_alloc.
#ifndef TOFT_POOLED_HPP
#define TOFT_POOLED_HPP

#include <cstddef>
#include <new>

#include <toft/detail/cpp20.hpp>
#include <toft/detail/new_handler.hpp>
#include <toft/pool.hpp>

#ifdef TOFT_CPP20

namespace toft {

// The parameter makes each class's base a type of its own: two equal ones at the same address would
// take room.
template <class T>
class pooled {
  public:
    // The comments that begin with "toft:" are a part of compilers' messages.
    static void *operator new(std::size_t size) { // toft: two pooled bases: using one::operator new
        return detail::new_or_throw([=] { return shared_pool().try_allocate(size); });
    }
    static void *operator new(std::size_t size, // toft: in your own memory: ::new (memory) T
                              std::align_val_t alignment) {
        return detail::new_or_throw(
            [=] { return shared_pool().try_allocate(size, raw(alignment)); });
    }
    // Inlined, as the other three with a nothrow tag are: a file without exceptions has others than
    // a file with them, and of a function that isn't inlined the linker keeps one.
    TOFT_MEMBER_INLINE static void *operator new(std::size_t size,
                                                 const std::nothrow_t &) noexcept {
        return detail::new_or_null([=] { return shared_pool().try_allocate(size); });
    }
    TOFT_MEMBER_INLINE static void *operator new(std::size_t size, std::align_val_t alignment,
                                                 const std::nothrow_t &) noexcept {
        return detail::new_or_null(
            [=] { return shared_pool().try_allocate(size, raw(alignment)); });
    }

    static void operator delete(void *object, // toft: two pooled bases: using one::operator delete
                                std::size_t size) noexcept {
        shared_pool().deallocate(object, size);
    }
    // No size here: of a strongly aligned class, compilers ask for this one where a constructor
    // throws, and for what has a nothrow tag they know none.
    static void operator delete(void *object, std::align_val_t) noexcept { free_any(object); }
    static void operator delete(void *object, const std::nothrow_t &) noexcept { free_any(object); }
    static void operator delete(void *object, std::align_val_t, const std::nothrow_t &) noexcept {
        free_any(object);
    }

    static void *operator new[](std::size_t size) { return operator new(size); }
    static void *operator new[](std::size_t size, std::align_val_t alignment) {
        return operator new(size, alignment);
    }
    TOFT_MEMBER_INLINE static void *operator new[](std::size_t size,
                                                   const std::nothrow_t &tag) noexcept {
        return operator new(size, tag);
    }
    TOFT_MEMBER_INLINE static void *operator new[](std::size_t size, std::align_val_t alignment,
                                                   const std::nothrow_t &tag) noexcept {
        return operator new(size, alignment, tag);
    }

    static void operator delete[](void *array, std::size_t size) noexcept {
        operator delete(array, size);
    }
    static void operator delete[](void *array, std::align_val_t) noexcept { free_any(array); }
    static void operator delete[](void *array, const std::nothrow_t &) noexcept { free_any(array); }
    static void operator delete[](void *array, std::align_val_t, const std::nothrow_t &) noexcept {
        free_any(array);
    }

  private:
    static void free_any(void *object) noexcept { toft_pool_free_any(toft_pool_shared(), object); }
    static constexpr std::size_t raw(std::align_val_t alignment) noexcept {
        return static_cast<std::size_t>(alignment);
    }
};

} // namespace toft

#endif // TOFT_CPP20
#endif
