// SPDX-License-Identifier: MIT
// What operator new does where there is no memory: it calls the program's new-handler until that
// frees some, throws, or is there no more.
#ifndef TOFT_DETAIL_NEW_HANDLER_HPP
#define TOFT_DETAIL_NEW_HANDLER_HPP

#include <new>

#include <toft/config.h>
#include <toft/detail/cpp20.hpp>
#include <toft/detail/source.hpp>

#ifdef TOFT_CPP20

namespace toft::detail {

// NULL: there is no handler any more.
template <class Allocate>
TOFT_COLD void *new_by_handler_slow(Allocate allocate) {
    for (;;) {
        std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) return nullptr;
        handler();
        if (void *object = allocate()) return object;
    }
}

template <class Allocate>
TOFT_COLD void *new_or_throw_slow(Allocate allocate) {
    void *object = detail::new_by_handler_slow(allocate);
    if (object == nullptr) throw_bad_alloc();
    return object;
}

template <class Allocate>
TOFT_ALWAYS_INLINE void *new_or_throw(Allocate allocate) {
    void *object = allocate();
    return TOFT_LIKELY(object != nullptr) ? object : detail::new_or_throw_slow(allocate);
}

    #if defined(__cpp_exceptions)
inline namespace with_exceptions {

template <class Allocate>
void *new_or_null(Allocate allocate) noexcept {
    try {
        return detail::new_or_throw(allocate);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

    #else
inline namespace without_exceptions { // which no handler can throw

template <class Allocate>
void *new_or_null(Allocate allocate) noexcept {
    void *object = allocate();
    return TOFT_LIKELY(object != nullptr) ? object : detail::new_by_handler_slow(allocate);
}

    #endif
} // inline namespace

} // namespace toft::detail

#endif // TOFT_CPP20
#endif
