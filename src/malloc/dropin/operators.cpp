// SPDX-License-Identifier: MIT
// C++'s operator new and delete, for a library that C programs have too: it must not need a C++
// run-time. What it needs of one, it finds in those programs that have it.
#include <cstdint>
#include <dlfcn.h>
#include <initializer_list>
#include <new>

extern "C" {
#include "base/misuse.h"
}
#include "malloc/door.h"
#include "malloc/dropin/settings.h"

// NULL in a program without a C++ run-time when it starts.
extern "C" {
[[gnu::weak, noreturn]] void toft_dropin_throw() __asm__("_ZSt17__throw_bad_allocv");
[[gnu::weak]] std::new_handler toft_dropin_handler() __asm__("_ZSt15get_new_handlerv");
}
// The compiler's own references, from the one function that catches.
__asm__(".weak __gxx_personality_v0\n"
        ".weak __cxa_begin_catch\n"
        ".weak __cxa_end_catch\n"
        ".weak _ZSt9terminatev\n"
        ".weak _Unwind_Resume\n");

#define EXPORTED [[gnu::visibility("default")]]

namespace {

// For a program that loaded its C++ run-time later, as a plug-in's: perhaps where nobody else can
// see it.
template <class Function>
Function *find_late(const char *symbol) {
    for (const char *library : {"libstdc++.so.6", "libc++.so.1", "libc++abi.so.1"}) {
        void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        void *found = dlsym(handle, symbol);
        dlclose(handle);
        if (found != nullptr) return reinterpret_cast<Function *>(found);
    }
    return nullptr;
}

std::new_handler current_handler() {
    auto *get = &toft_dropin_handler;
    if (get == nullptr) get = find_late<std::new_handler()>("_ZSt15get_new_handlerv");
    return get != nullptr ? get() : nullptr;
}

[[noreturn]] void throw_bad_alloc(std::size_t size) {
    auto *thrower = &toft_dropin_throw;
    if (thrower == nullptr) thrower = find_late<void()>("_ZSt17__throw_bad_allocv");
    if (thrower != nullptr) thrower();
    toft_misuse(reinterpret_cast<void *>(size), "operator new: out of memory for so many bytes");
}

void *allocate(std::size_t size, std::size_t alignment) {
    return alignment == 0 ? toft_door_alloc_sized(size) : toft_door_alloc_aligned(alignment, size);
}

// NULL where there is no memory and no handler that could do something.
void *allocate_or_handle(std::size_t size, std::size_t alignment) {
    void *object;
    while ((object = allocate(size, alignment)) == nullptr) {
        std::new_handler handler = current_handler();
        if (handler == nullptr) break;
        handler();
    }
    return object;
}

[[gnu::noinline]] void *new_slow(std::size_t size, std::size_t alignment) {
    void *object = allocate_or_handle(size, alignment);
    if (object == nullptr) throw_bad_alloc(size);
    return object;
}

inline void *new_fast(std::size_t size) {
    void *object = toft_door_alloc_fast(size);
    return TOFT_LIKELY(object != nullptr) ? object : new_slow(size, 0);
}

// Destructors free a tree's nodes in the reverse order of their making: downwards in memory, as a
// rule. The processor can't foresee which node is read next, since the destructor has read the
// other children of its parent before. Of 256 to 1024 bytes none is better than the others.
inline void foresee_below(void *object) {
    constexpr std::uintptr_t distance_bytes = 512;
    TOFT_POOL_FORESEE(
        reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(object) - distance_bytes));
}

constexpr char name_of_delete[] = "operator delete";

// With its size a small object needs no look-up. The slow path is free's, which leaves errno alone.
inline void delete_small(void *object, unsigned size_class) {
    if (object == nullptr) return;
    if (TOFT_UNLIKELY(!toft_pool_try_give(toft_pool_shared_cache, object, size_class)))
        toft_door_free_slow(object, name_of_delete);
}

std::size_t bytes_of(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

} // namespace

// --- the four that a program replaces ---

EXPORTED void *operator new(std::size_t size) { return new_fast(size); }
EXPORTED void *operator new(std::size_t size, std::align_val_t alignment) {
    return new_slow(size, bytes_of(alignment));
}
EXPORTED void operator delete(void *object) noexcept {
    foresee_below(object);
    toft_door_free(object, name_of_delete);
}
EXPORTED void operator delete(void *object, std::align_val_t) noexcept {
    toft_door_free(object, name_of_delete);
}

// --- those that lead to them, where the program has replaced any ---

EXPORTED void *operator new[](std::size_t size) {
    return TOFT_LIKELY(toft_dropin_has_operators) ? new_fast(size) : ::operator new(size);
}
EXPORTED void *operator new[](std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
}
EXPORTED void operator delete[](void *object) noexcept {
    if (TOFT_LIKELY(toft_dropin_has_operators))
        toft_door_free(object, name_of_delete);
    else
        ::operator delete(object);
}
EXPORTED void operator delete[](void *object, std::align_val_t alignment) noexcept {
    ::operator delete(object, alignment);
}

// A handler may throw instead of returning.
EXPORTED void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    void *object = toft_dropin_has_operators ? toft_door_alloc_fast(size) : nullptr;
    if (TOFT_LIKELY(object != nullptr)) return object;
    try {
        return toft_dropin_has_operators ? allocate_or_handle(size, 0) : ::operator new(size);
    } catch (...) {
        return nullptr;
    }
}
EXPORTED void *operator new(std::size_t size, std::align_val_t alignment,
                            const std::nothrow_t &) noexcept {
    try {
        return toft_dropin_has_operators ? allocate_or_handle(size, bytes_of(alignment))
                                         : ::operator new(size, alignment);
    } catch (...) {
        return nullptr;
    }
}
EXPORTED void *operator new[](std::size_t size, const std::nothrow_t &none) noexcept {
    return ::operator new(size, none);
}
EXPORTED void *operator new[](std::size_t size, std::align_val_t alignment,
                              const std::nothrow_t &none) noexcept {
    return ::operator new(size, alignment, none);
}
EXPORTED void operator delete(void *object, const std::nothrow_t &) noexcept {
    ::operator delete(object);
}
EXPORTED void operator delete[](void *object, const std::nothrow_t &) noexcept {
    ::operator delete[](object);
}
EXPORTED void operator delete(void *object, std::align_val_t alignment,
                              const std::nothrow_t &) noexcept {
    ::operator delete(object, alignment);
}
EXPORTED void operator delete[](void *object, std::align_val_t alignment,
                                const std::nothrow_t &) noexcept {
    ::operator delete[](object, alignment);
}

EXPORTED void operator delete(void *object, std::size_t size) noexcept {
    TOFT_POOL_FORESEE(object);
    foresee_below(object);
    if (TOFT_UNLIKELY(!toft_dropin_has_operators))
        ::operator delete(object);
    else if (TOFT_LIKELY(size <= TOFT_POOL_SMALL_MAX))
        delete_small(object, toft_pool_class_of(size));
    else
        toft_door_free(object, name_of_delete);
}
EXPORTED void operator delete[](void *object, std::size_t size) noexcept {
    if (TOFT_LIKELY(toft_dropin_has_operators))
        ::operator delete(object, size);
    else
        ::operator delete[](object);
}
EXPORTED void operator delete(void *object, std::size_t size, std::align_val_t alignment) noexcept {
    if (TOFT_UNLIKELY(!toft_dropin_has_operators))
        ::operator delete(object, alignment);
    else if (TOFT_LIKELY(toft_pool_is_small(size, bytes_of(alignment))))
        delete_small(object, toft_pool_class_of_aligned(size, bytes_of(alignment)));
    else
        toft_door_free(object, name_of_delete);
}
EXPORTED void operator delete[](void *object, std::size_t size,
                                std::align_val_t alignment) noexcept {
    ::operator delete(object, size, alignment);
}
