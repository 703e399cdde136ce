// SPDX-License-Identifier: MIT
// toft::current_new: a public base for classes whose objects are made by new and freed by delete.
// Their memory comes from what is current (see <toft/current.h>) then, and outside of all uses from
// the shared pool:
//
//     struct node : toft::current_new<node> {
//         node *next;
//     };
//     node *kept = new node; // in the shared pool
//     {
//         toft::use here(arena);
//         node *made = new node; // in the arena
//     }
//     delete kept; // the same delete for both
//     arena.reset(); // the other goes here, without delete
//
// Only the objects themselves: not arrays of them, nor what their members allocate. The rules of
// uses hold, as for <toft/adapt/new.hpp>, which is for all classes of a program. Where no use is
// ever made, <toft/pooled.hpp> is faster. Not for promises of coroutines, which outlive uses.
//
// Failure: the new-handler is called, as the standard says; without one std::bad_alloc.
#ifndef TOFT_CURRENT_NEW_HPP
#define TOFT_CURRENT_NEW_HPP

#include <cstddef>
#include <new>

#include <toft/current.h>
#include <toft/detail/cpp20.hpp>
#include <toft/detail/new_handler.hpp>

#ifdef TOFT_CPP20

namespace toft {

// The parameter makes each class's base a type of its own: two equal ones at the same address would
// take room.
template <class T>
class current_new {
  public:
    static void *operator new(std::size_t size) {
        return detail::new_or_throw([=] { return toft_current_alloc(size); });
    }
    static void *operator new(std::size_t size, std::align_val_t alignment) {
        return detail::new_or_throw([=] { return aligned(size, alignment); });
    }
    // Inlined: a file without exceptions has another than a file with them.
    TOFT_MEMBER_INLINE static void *operator new(std::size_t size,
                                                 const std::nothrow_t &) noexcept {
        return detail::new_or_null([=] { return toft_current_alloc(size); });
    }
    TOFT_MEMBER_INLINE static void *operator new(std::size_t size, std::align_val_t alignment,
                                                 const std::nothrow_t &) noexcept {
        return detail::new_or_null([=] { return aligned(size, alignment); });
    }
    static void *operator new(std::size_t, void *memory) noexcept { return memory; }

    static void operator delete(void *object) noexcept { toft_current_free(object); }
    static void operator delete(void *object, std::align_val_t) noexcept {
        toft_current_free(object);
    }
    static void operator delete(void *object, const std::nothrow_t &) noexcept {
        toft_current_free(object);
    }
    static void operator delete(void *object, std::align_val_t, const std::nothrow_t &) noexcept {
        toft_current_free(object);
    }
    static void operator delete(void *, void *) noexcept {}

  private:
    static void *aligned(std::size_t size, std::align_val_t alignment) noexcept {
        return toft_current_alloc_aligned(size, static_cast<std::size_t>(alignment));
    }
};

} // namespace toft

#endif // TOFT_CPP20
#endif
