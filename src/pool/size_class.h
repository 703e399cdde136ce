/* SPDX-License-Identifier: MIT */
/* What follows from a size class: its slots' size, its spans' length, its magazines' depth. */
#ifndef TOFT_POOL_SIZE_CLASS_H
#define TOFT_POOL_SIZE_CLASS_H

#include <toft/pool.h>

/* A span is 1, 3 or 5 units long: whole numbers of them fill a segment but for its first unit. */
#define TOFT_UNIT_BYTES ((size_t)32 << 10)
#define TOFT_SPAN_UNITS_MAX 5U

/* The inverse of toft_pool_class_of_rounded. A slot is aligned to the largest power of two that
   divides it. */
static inline size_t toft_slot_bytes(unsigned size_class) {
    if (size_class < 16) return ((size_t)size_class + 1) * 8;
    if (size_class < 40) return ((size_t)size_class - 7) * 16;
    unsigned step = size_class - 40;
    return (size_t)(9 + step % 8) << (6 + step / 8);
}

/* The shortest span with at least four slots that leaves at most an eighth of it over. */
static inline unsigned toft_span_units(unsigned size_class) {
    size_t slot_bytes = toft_slot_bytes(size_class);
    unsigned units = 1;
    for (; units < TOFT_SPAN_UNITS_MAX; units += 2) {
        size_t span_bytes = units * TOFT_UNIT_BYTES;
        if (span_bytes / slot_bytes >= 4 && span_bytes % slot_bytes <= span_bytes / 8) break;
    }
    return units;
}

/* Pointers in a full magazine: at most 64 KiB of slots, so that a thread keeps little of what it
   seldom uses. A table, since a division would cost as much as the rest of an exchange. */
#define TOFT_MAGAZINE_DEPTH_MAX 62U
TOFT_EXTERN_C_BEGIN
extern const unsigned char toft_magazine_depths[TOFT_POOL_CLASSES];
TOFT_EXTERN_C_END
static inline unsigned toft_magazine_depth_of(size_t slot_bytes) {
    size_t depth = ((size_t)64 << 10) / slot_bytes;
    return depth < TOFT_MAGAZINE_DEPTH_MAX ? (unsigned)depth : TOFT_MAGAZINE_DEPTH_MAX;
}
static inline unsigned toft_magazine_depth(unsigned size_class) {
    return toft_magazine_depths[size_class];
}

/* Of the slots that a full magazine points to. */
static inline size_t toft_magazine_bytes(unsigned size_class) {
    return toft_magazine_depth(size_class) * toft_slot_bytes(size_class);
}

#endif
