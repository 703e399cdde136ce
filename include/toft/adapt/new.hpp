// SPDX-License-Identifier: MIT
// operator new and delete of a whole C++ program over what is current (see <toft/current.h>): for a
// program whose classes and containers name no allocator. Include this in one source file of the
// program, and in no library.
//
//     #include <toft/adapt/new.hpp>
//     ...
//     toft::arena arena;
//     {
//         toft::use here(arena);
//         tree = new document(text); // it and all its nodes, strings and maps, in the arena
//     }
//     use_it(tree);
//     arena.reset();          // without delete
//
// Temporaries stay until the reset too: where the program frees much in the use, make a toft::reap
// current instead of the arena.
//
// The document itself is made by `new` in the use, and never destroyed after the reset: one on the
// stack, or in a unique_ptr, that outlives the reset has a destructor that reads what is gone.
//
// Outside of all uses, objects are the shared pool's. What a use makes goes with its arena,
// and so what the program keeps must not be made in one: a static object of a function is made
// when that is first called, and destroyed when the program ends. Call such functions before, or
// let the arena live as long: `static toft::arena &arena = *new toft::arena;`.
//
// An exception that is thrown in a use has its text in the arena, as std::runtime_error has, and
// what std::exception_ptr keeps of it. A handler outside of the arena's life reads what is gone. So
// catch it while the arena lives, copy its text to a buffer, leave the use, and throw another.
//
// Failure: the new-handler is called, as the standard says; without one std::bad_alloc.
#ifndef TOFT_ADAPT_NEW_HPP
#define TOFT_ADAPT_NEW_HPP

#include <cstddef>
#include <new>

#include <toft/current.hpp>
#include <toft/detail/new_handler.hpp>

#ifdef TOFT_CPP20

namespace toft::detail {

struct aligned_request {
    std::size_t size;
    std::align_val_t alignment;
    void *operator()() const {
        return toft_current_alloc_aligned(size, static_cast<std::size_t>(alignment));
    }
};

struct request {
    std::size_t size;
    void *operator()() const { return toft_current_alloc(size); }
};

} // namespace toft::detail

    #if !defined(__cpp_sized_deallocation) // <new> declares these otherwise
void operator delete(void *object, std::size_t) noexcept;
void operator delete[](void *array, std::size_t) noexcept;
void operator delete(void *object, std::size_t, std::align_val_t) noexcept;
void operator delete[](void *array, std::size_t, std::align_val_t) noexcept;
    #endif

    // All of them, those for arrays too: a sanitizer has its own of each.
    #define TOFT_ADAPT_NEW(array)                                                                  \
        void *operator new array(std::size_t size) {                                               \
            return toft::detail::new_or_throw(toft::detail::request{size});                        \
        }                                                                                          \
        void *operator new array(std::size_t size, const std::nothrow_t &) noexcept {              \
            return toft::detail::new_or_null(toft::detail::request{size});                         \
        }                                                                                          \
        void *operator new array(std::size_t size, std::align_val_t alignment) {                   \
            return toft::detail::new_or_throw(toft::detail::aligned_request{size, alignment});     \
        }                                                                                          \
        void *operator new array(std::size_t size, std::align_val_t alignment,                     \
                                 const std::nothrow_t &) noexcept {                                \
            return toft::detail::new_or_null(toft::detail::aligned_request{size, alignment});      \
        }                                                                                          \
        void operator delete array(void *object) noexcept { toft_current_free(object); }           \
        void operator delete array(void *object, const std::nothrow_t &) noexcept {                \
            toft_current_free(object);                                                             \
        }                                                                                          \
        void operator delete array(void *object, std::size_t) noexcept {                           \
            toft_current_free(object);                                                             \
        }                                                                                          \
        void operator delete array(void *object, std::align_val_t) noexcept {                      \
            toft_current_free(object);                                                             \
        }                                                                                          \
        void operator delete array(void *object, std::align_val_t,                                 \
                                   const std::nothrow_t &) noexcept {                              \
            toft_current_free(object);                                                             \
        }                                                                                          \
        void operator delete array(void *object, std::size_t, std::align_val_t) noexcept {         \
            toft_current_free(object);                                                             \
        }
TOFT_ADAPT_NEW()
TOFT_ADAPT_NEW([])
    #undef TOFT_ADAPT_NEW

#endif // TOFT_CPP20

#endif
