/* SPDX-License-Identifier: MIT */
/* A magazine: an aligned array of pointers to free slots of one class, used as a stack.
 *
 *     +------+--------+------+--------+--------+-- - --+--------+
 *     | next | unused | NULL | oldest |  ...   | top   |        |
 *     +------+--------+------+--------+--------+-- - --+--------+
 *     ^ aligned to its own size       |<------ depth places --->|
 *
 * A class's depth decides where NULL stands. Empty is *top == NULL; full is that top + 1 is
 * aligned. A cache that has no magazine yet points to one that is both, so the fast paths need
 * no test of their own for it. */
#ifndef TOFT_POOL_MAGAZINE_H
#define TOFT_POOL_MAGAZINE_H

#include <assert.h>

#include "pool/size_class.h"

#define TOFT_MAGAZINE_PLACES (TOFT_POOL_MAGAZINE_BYTES / sizeof(void *))

typedef struct toft_magazine {
    struct toft_magazine *next;
    void *places[TOFT_MAGAZINE_PLACES - 1];
} toft_magazine;
static_assert(sizeof(toft_magazine) == TOFT_POOL_MAGAZINE_BYTES, "padding in a magazine");
static_assert(TOFT_MAGAZINE_DEPTH_MAX + 2 <= TOFT_MAGAZINE_PLACES, "no place for next and NULL");

/* Magazines are slots of this class, whose alignment is its size. */
#define TOFT_MAGAZINE_CLASS 39U

/* Both empty and full; never written. */
extern const toft_magazine toft_no_magazine;
#define TOFT_NO_MAGAZINE_TOP                                                                       \
    ((void **)(uintptr_t)&toft_no_magazine.places[TOFT_MAGAZINE_PLACES - 2])

static inline toft_magazine *toft_magazine_of(void **top) {
    return (toft_magazine *)((uintptr_t)top & ~(TOFT_POOL_MAGAZINE_BYTES - 1));
}

static inline void **toft_magazine_full_top(toft_magazine *magazine) {
    return (void **)magazine + (TOFT_MAGAZINE_PLACES - 1);
}
static inline void **toft_magazine_empty_top(toft_magazine *magazine, unsigned depth) {
    return toft_magazine_full_top(magazine) - depth;
}

/* The number of slots that a cache's magazine holds. */
static inline unsigned toft_magazine_count(void **top, unsigned depth) {
    if (top == TOFT_NO_MAGAZINE_TOP) return 0;
    return (unsigned)(top - toft_magazine_empty_top(toft_magazine_of(top), depth));
}

static inline void toft_magazine_push(toft_magazine **list, toft_magazine *magazine) {
    magazine->next = *list;
    *list = magazine;
}
static inline toft_magazine *toft_magazine_pop(toft_magazine **list) {
    toft_magazine *magazine = *list;
    if (magazine != NULL) *list = magazine->next;
    return magazine;
}

#endif
