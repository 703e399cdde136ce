/* SPDX-License-Identifier: MIT */
/* What follows from a size class: its slots' size, its spans' length, its magazines' depth. */
#ifndef TOFT_POOL_SIZE_CLASS_H
#define TOFT_POOL_SIZE_CLASS_H

#include <assert.h>
#include <limits.h>

#include <toft/pool.h>

/* A span is 1, 3 or 5 units long: whole numbers of them fill a segment but for its first unit. */
#define TOFT_UNIT_BYTES ((size_t)32 << 10)
#define TOFT_SPAN_UNITS_MAX 5U
#define TOFT_SPAN_LENGTHS ((TOFT_SPAN_UNITS_MAX + 1) / 2)

/* The inverse of TOFT_POOL_CLASS_OF. */
#define TOFT_SLOT_BYTES(size_class)                                                                \
    ((size_class) < 16   ? ((size_t)(size_class) + 1) * 8                                          \
     : (size_class) < 40 ? ((size_t)(size_class) - 7) * 16                                         \
                         : (9 + ((size_t)(size_class) - 40) % 8) << (6 + ((size_class) - 40) / 8))
static inline size_t toft_slot_bytes(unsigned size_class) { return TOFT_SLOT_BYTES(size_class); }

/* Whether the spans of a class begin at different lines of the cache: see span.c. */
static inline bool toft_is_coloured(unsigned size_class) {
    size_t bytes = toft_slot_bytes(size_class);
    return bytes > TOFT_POOL_UNCOLOURED_MAX && (bytes & (bytes - 1)) != 0;
}

/* What every slot of a class is aligned to: the largest power of two that divides its size, or a
   line of the cache. */
static inline size_t toft_slot_alignment(unsigned size_class) {
    size_t bytes = toft_slot_bytes(size_class);
    return toft_is_coloured(size_class) ? TOFT_POOL_LINE_BYTES : bytes & (~bytes + 1);
}

static_assert(TOFT_SLOT_BYTES(TOFT_POOL_CLASSES - 1) == TOFT_POOL_SMALL_MAX,
              "the last class has the largest slots");
static_assert(TOFT_POOL_CLASS_OF(TOFT_POOL_SMALL_MAX) == TOFT_POOL_CLASSES - 1,
              "the largest size is of the last class");
static_assert(TOFT_SLOT_BYTES(TOFT_POOL_CLASSES - 1) * 4 <= TOFT_SPAN_UNITS_MAX * TOFT_UNIT_BYTES,
              "the longest span has four slots of the largest class");
static_assert(TOFT_POOL_CLASSES - 1 <= UCHAR_MAX, "tables of classes have bytes");

/* entry(0), entry(1), ... for each class: what fills the tables. */
#define TOFT_EIGHT(entry, i)                                                                       \
    entry(i), entry((i) + 1), entry((i) + 2), entry((i) + 3), entry((i) + 4), entry((i) + 5),      \
        entry((i) + 6), entry((i) + 7)
#define TOFT_SIXTY_FOUR(entry, i)                                                                  \
    TOFT_EIGHT(entry, i), TOFT_EIGHT(entry, (i) + 8), TOFT_EIGHT(entry, (i) + 16),                 \
        TOFT_EIGHT(entry, (i) + 24), TOFT_EIGHT(entry, (i) + 32), TOFT_EIGHT(entry, (i) + 40),     \
        TOFT_EIGHT(entry, (i) + 48), TOFT_EIGHT(entry, (i) + 56)
#define TOFT_EACH_CLASS(entry)                                                                     \
    TOFT_SIXTY_FOUR(entry, 0), TOFT_EIGHT(entry, 64), TOFT_EIGHT(entry, 72), TOFT_EIGHT(entry, 80)

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
#define TOFT_MAGAZINE_DEPTH_OF(slot_bytes)                                                         \
    (((size_t)64 << 10) / (slot_bytes) < TOFT_MAGAZINE_DEPTH_MAX                                   \
         ? ((size_t)64 << 10) / (slot_bytes)                                                       \
         : TOFT_MAGAZINE_DEPTH_MAX)
TOFT_EXTERN_C_BEGIN
extern const unsigned char toft_magazine_depths[TOFT_POOL_CLASSES];
TOFT_EXTERN_C_END
static inline unsigned toft_magazine_depth(unsigned size_class) {
    return toft_magazine_depths[size_class];
}

/* The bytes of the slots that a full magazine points to. */
static inline size_t toft_magazine_bytes(unsigned size_class) {
    return toft_magazine_depth(size_class) * toft_slot_bytes(size_class);
}

#endif
