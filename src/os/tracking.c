/* SPDX-License-Identifier: MIT */
#include "os/tracking.h"

/* -DTOFT_VALGRIND=0 leaves Valgrind out. */
#if !defined(TOFT_VALGRIND) && defined(__has_include)
    #if __has_include(<valgrind/memcheck.h>)
        #define TOFT_VALGRIND 1
    #endif
#endif
#if defined(TOFT_VALGRIND) && TOFT_VALGRIND
    #include <valgrind/drd.h>
    #include <valgrind/helgrind.h>
    #include <valgrind/memcheck.h>
#else
    #define VALGRIND_MAKE_MEM_NOACCESS(memory, bytes) ((void)(memory), (void)(bytes))
    #define VALGRIND_MAKE_MEM_UNDEFINED(memory, bytes) ((void)(memory), (void)(bytes))
    #define VALGRIND_MAKE_MEM_DEFINED(memory, bytes) ((void)(memory), (void)(bytes))
    #define VALGRIND_GET_VBITS(memory, bits, bytes) ((void)(memory), (void)(bits), (void)(bytes), 0)
#endif

#if defined(__GNUC__) || defined(__clang__)
    #define WEAK __attribute__((weak, visibility("default")))
WEAK void __asan_poison_memory_region(const volatile void *memory, size_t bytes);
WEAK void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes);
WEAK int __asan_address_is_poisoned(const volatile void *memory);
WEAK void __lsan_register_root_region(const void *memory, size_t bytes);
WEAK void __lsan_unregister_root_region(const void *memory, size_t bytes);
    #define PRESENT(function) ((function) != NULL)
#else
    #define __asan_poison_memory_region(memory, bytes) (void)0
    #define __asan_unpoison_memory_region(memory, bytes) (void)0
    #define __asan_address_is_poisoned(memory) 0
    #define __lsan_register_root_region(memory, bytes) (void)0
    #define __lsan_unregister_root_region(memory, bytes) (void)0
    #define PRESENT(function) 0
#endif

/* Valgrind's tools that check a program answer requests of their own. Those that measure it, as
   callgrind and massif do, don't: they are to see what it does without them. */
static bool is_checked_by_valgrind(void) {
#if defined(TOFT_VALGRIND) && TOFT_VALGRIND
    char byte = 0, bits = 0;
    (void)byte, (void)bits; /* unused on processors that Valgrind isn't for */
    return VALGRIND_GET_VBITS(&byte, &bits, 1) != 0 || DRD_GET_VALGRIND_THREADID != 0 ||
           VALGRIND_DO_CLIENT_REQUEST_EXPR(0, _VG_USERREQ__HG_GET_ABITS, &byte, &bits, 1, 0, 0) !=
               0;
#else
    return false;
#endif
}

signed char toft_tracking_state = toft_tracking_unknown;

TOFT_COLD bool toft_tracking_slow(void) {
    bool on = PRESENT(__asan_poison_memory_region) || PRESENT(__lsan_register_root_region) ||
              is_checked_by_valgrind();
    __atomic_store_n(&toft_tracking_state, on ? toft_tracking_on : toft_tracking_off,
                     __ATOMIC_RELAXED);
    return on;
}

void toft_track_free(const void *memory, size_t bytes) {
    if (PRESENT(__asan_poison_memory_region)) __asan_poison_memory_region(memory, bytes);
    VALGRIND_MAKE_MEM_NOACCESS(memory, bytes);
}

void toft_track_allocated(const void *memory, size_t bytes) {
    if (PRESENT(__asan_unpoison_memory_region)) __asan_unpoison_memory_region(memory, bytes);
    VALGRIND_MAKE_MEM_UNDEFINED(memory, bytes);
}

void toft_track_resized(const void *memory, size_t kept_bytes, size_t bytes) {
    (void)kept_bytes; /* of no use where Valgrind's header is for another system */
    if (PRESENT(__asan_unpoison_memory_region)) __asan_unpoison_memory_region(memory, bytes);
    VALGRIND_MAKE_MEM_UNDEFINED((const char *)memory + kept_bytes, bytes - kept_bytes);
}

void toft_track_readable(const void *memory, size_t bytes) {
    if (PRESENT(__asan_unpoison_memory_region)) __asan_unpoison_memory_region(memory, bytes);
    VALGRIND_MAKE_MEM_DEFINED(memory, bytes);
}

/* Valgrind answers 3 where it may not be read, and complains of nothing. */
bool toft_track_is_free(const void *memory) {
    if (PRESENT(__asan_address_is_poisoned)) return __asan_address_is_poisoned(memory) != 0;
    unsigned char bits = 0;
    (void)bits;
    return VALGRIND_GET_VBITS(memory, &bits, 1) == 3;
}

void toft_track_chunk(const void *memory, size_t bytes) {
    if (PRESENT(__lsan_register_root_region)) __lsan_register_root_region(memory, bytes);
}

void toft_forget_chunk(const void *memory, size_t bytes) {
    if (PRESENT(__lsan_unregister_root_region)) __lsan_unregister_root_region(memory, bytes);
}
