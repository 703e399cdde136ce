/* SPDX-License-Identifier: MIT */
/* Powers of two and sums that can't wrap. */
#ifndef TOFT_BASE_BITS_H
#define TOFT_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool toft_is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

/* False where the alignment is no power of two. */
static inline bool toft_is_aligned(const void *memory, size_t alignment) {
    return toft_is_power_of_two(alignment) && ((uintptr_t)memory & (alignment - 1)) == 0;
}

/* alignment is a power of two; the caller knows that the sum does not wrap. */
static inline uintptr_t toft_align_up(uintptr_t n, size_t alignment) {
    return (n + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
}

static inline size_t toft_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t toft_max(size_t a, size_t b) { return a > b ? a : b; }

/* *sum = a + b, unless it wraps. */
static inline bool toft_add(size_t a, size_t b, size_t *sum) {
    *sum = a + b;
    return *sum >= a;
}

/* The exponent of the least power of two >= n, for n >= 2. */
static inline unsigned toft_log2_ceil(size_t n) {
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)(sizeof(unsigned long long) * 8) - (unsigned)__builtin_clzll(n - 1);
#else
    unsigned log = 1;
    while (log < sizeof n * 8 && (n - 1) >> log != 0) log++;
    return log;
#endif
}

#endif
