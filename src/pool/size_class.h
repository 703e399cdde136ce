/* SPDX-License-Identifier: MIT */
/* What follows from a size class: its slots' size, its spans' length, its magazines' depth. */
#ifndef TOFT_POOL_SIZE_CLASS_H
#define TOFT_POOL_SIZE_CLASS_H

#include <toft/pool.h>

/* A span is 1, 2, 4 or 8 units long. */
#define TOFT_UNIT_BYTES ((size_t)32 << 10)
#define TOFT_SPAN_UNITS_MAX 8U

/* The inverse of toft_pool_class_of_rounded. A slot is aligned to the largest power of two that divides it. */
static inline size_t toft_slot_bytes(unsigned size_class) {
    if (size_class < 16) return ((size_t)size_class + 1) * 8;
    if (size_class < 40) return ((size_t)size_class - 7) * 16;
    unsigned step = size_class - 40;
    return (size_t)(9 + step % 8) << (6 + step / 8);
}

/* The shortest span with at least eight slots that leaves at most a sixteenth of it over, or the longest. */
static inline unsigned toft_span_units(unsigned size_class) {
    size_t slot_bytes = toft_slot_bytes(size_class);
    for (unsigned units = 1; units < TOFT_SPAN_UNITS_MAX; units *= 2) {
        size_t span_bytes = units * TOFT_UNIT_BYTES;
        if (span_bytes / slot_bytes >= 8 && span_bytes % slot_bytes <= span_bytes / 16)
            return units;
    }
    return TOFT_SPAN_UNITS_MAX;
}

/* Pointers in a full magazine: at most 64 KiB of slots, so that a thread keeps little of what it seldom uses. */
#define TOFT_MAGAZINE_DEPTH_MAX 62U
static inline unsigned toft_magazine_depth(unsigned size_class) {
    size_t depth = ((size_t)64 << 10) / toft_slot_bytes(size_class);
    return depth < TOFT_MAGAZINE_DEPTH_MAX ? (unsigned)depth : TOFT_MAGAZINE_DEPTH_MAX;
}

/* Of the slots that a full magazine points to. */
static inline size_t toft_magazine_bytes(unsigned size_class) {
    return toft_magazine_depth(size_class) * toft_slot_bytes(size_class);
}

#endif
