/* SPDX-License-Identifier: MIT */
/* The inside of <toft/reap.h>: the fields of a reap, its size classes, and the inlined paths. */
#ifndef TOFT_DETAIL_REAP_H
#define TOFT_DETAIL_REAP_H

#include <string.h>

#include <toft/reap.h>

TOFT_EXTERN_C_BEGIN

typedef struct toft_reap_slot toft_reap_slot; /* free memory that begins with a link to the next */
typedef struct toft_reap_large toft_reap_large; /* an object in a block of its own */
typedef struct toft_reap_order toft_reap_order; /* free slots in the order of memory */

/* 16 classes in steps of 8, 32 up to TOFT_REAP_SLOT_MAX, and 11 for stronger alignments. */
#define TOFT_REAP_CLASSES 59

#define TOFT_REAP_CLOSED (PTRDIFF_MAX / 2)

struct toft_reap {
    toft_arena arena;
    /* The objects in slots that were allocated and freed so far. There are two counters, since each
       call would have to wait for the last one if allocations and frees changed the same one. A
       free is inlined unless `freed` exceeds `allocated`. `allocated` is `floor` less than the true
       count, so that a free takes the slow path when fewer objects than that are left. It is
       TOFT_REAP_CLOSED less while `closed`, so that every free does: before the first free, while a
       tool tracks the memory, and while a savepoint stands. */
    ptrdiff_t allocated;
    ptrdiff_t freed;
    ptrdiff_t floor;                /* 0 in a small reap, else 1 at least */
    bool closed;                    /* no free is inlined */
    bool arena_shared;              /* its arena has objects that aren't counted */
    toft_reap_savepoint *savepoint; /* the newest that stands */
    toft_reap_large *large;         /* the newest large object since that savepoint */
    size_t large_bytes;             /* of all large objects in blocks of their own */
    size_t high_water_bytes;        /* as last noted */
    size_t gather_at_bytes;         /* one that has used less may grow as it likes */
    toft_reap_order *order;         /* what it knows of its free slots; NULL in most */
    toft_reap_slot **tracked_free;  /* the free lists while a tool tracks the memory */
    toft_reap_slot *free[TOFT_REAP_CLASSES];
};

TOFT_API TOFT_NOINLINE void *toft_reap_alloc_slow(toft_reap *reap, size_t size, size_t alignment);
TOFT_API TOFT_NOINLINE void toft_reap_free_large(toft_reap *reap, void *object, size_t size,
                                                 size_t alignment);
/* Frees a slot that has been counted as freed already. */
TOFT_API TOFT_NOINLINE void toft_reap_free_slow(toft_reap *reap, void *object, size_t size,
                                                unsigned size_class);
extern TOFT_API const unsigned char toft_reap_class_table[129];
extern TOFT_API const uint16_t toft_reap_slot_table[TOFT_REAP_CLASSES];

/* The exponent of the least power of two >= n, for n >= 2. */
TOFT_ALWAYS_INLINE unsigned toft_reap_log2_ceil(size_t n) {
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)sizeof(unsigned long long) * 8 - (unsigned)__builtin_clzll(n - 1);
#else
    unsigned log2 = 1;
    while (log2 < sizeof n * 8 && (n - 1) >> log2 != 0) log2++;
    return log2;
#endif
}

TOFT_ALWAYS_INLINE bool toft_reap_fits_slot(size_t size, size_t alignment) {
    return size <= TOFT_REAP_SLOT_MAX && alignment - 1 < TOFT_REAP_SLOT_MAX &&
           (alignment & (alignment - 1)) == 0;
}

/* The class of a size and alignment that fit a slot. Slots of a multiple of 16 bytes are aligned to
   16. */
TOFT_ALWAYS_INLINE unsigned toft_reap_class(size_t size, size_t alignment) {
    if (alignment > 16) return 43 + toft_reap_log2_ceil(size > alignment ? size : alignment);
    size_t mask = alignment > 8 ? 15 : 7;
    size_t rounded = (size + (size == 0) + mask) & ~mask;
#if defined(__GNUC__) || defined(__clang__)
    if (!__builtin_constant_p(rounded) && TOFT_LIKELY(rounded <= 1024))
        return toft_reap_class_table[rounded / 8];
#endif
    if (rounded <= 128) return (unsigned)(rounded / 8 - 1);
    unsigned log2 = toft_reap_log2_ceil(rounded); /* 8 for 129 to 256 */
    return 16 + (log2 - 8) * 4 + (unsigned)((rounded - 1) >> (log2 - 3) & 3);
}

TOFT_ALWAYS_INLINE size_t toft_reap_slot_bytes(unsigned size_class) {
#if defined(__GNUC__) || defined(__clang__)
    if (!__builtin_constant_p(size_class)) return toft_reap_slot_table[size_class];
#endif
    if (size_class < 16) return ((size_t)size_class + 1) * 8;
    if (size_class < 48) return (size_t)(5 + size_class % 4) << (1 + size_class / 4);
    return (size_t)32 << (size_class - 48);
}

TOFT_ALWAYS_INLINE size_t toft_reap_slot_alignment(unsigned size_class) {
    size_t bytes = toft_reap_slot_bytes(size_class);
    return size_class >= 48 ? bytes : 16 - bytes % 16;
}

/* Links are read and written by memcpy, since what the slot held before was of another type. */
TOFT_ALWAYS_INLINE toft_reap_slot *toft_reap_next(const void *slot) {
    toft_reap_slot *next;
    memcpy(&next, slot, sizeof next);
    return next;
}
TOFT_ALWAYS_INLINE void toft_reap_set_next(void *slot, toft_reap_slot *next) {
    memcpy(slot, &next, sizeof next);
}

/* A reused slot, or NULL. */
TOFT_ALWAYS_INLINE void *toft_reap_reuse(toft_reap *reap, unsigned size_class) {
    void *reused = reap->free[size_class];
    if (TOFT_LIKELY(reused != NULL)) reap->free[size_class] = toft_reap_next(reused);
    return reused;
}

/* A new slot, or NULL where the chunk has no more. */
TOFT_ALWAYS_INLINE void *toft_reap_extend(toft_reap *reap, unsigned size_class) {
    size_t alignment = toft_reap_slot_alignment(size_class);
    uintptr_t slot = (uintptr_t)reap->arena.cur, mask = alignment - 1;
    if (alignment > TOFT_ARENA_GRANULE) slot = (slot + mask) & ~mask;
    uintptr_t next = slot + toft_reap_slot_bytes(size_class);
    if (TOFT_UNLIKELY(next > (uintptr_t)reap->arena.end)) return NULL;
    reap->arena.cur = (char *)next;
    return (void *)slot;
}

TOFT_ALWAYS_INLINE void *toft_reap_alloc(toft_reap *reap, size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(!toft_reap_fits_slot(size, alignment)))
        return toft_reap_alloc_slow(reap, size, alignment);
    unsigned size_class = toft_reap_class(size, alignment);
    void *slot = toft_reap_reuse(reap, size_class);
    if (slot == NULL) slot = toft_reap_extend(reap, size_class);
    if (TOFT_UNLIKELY(slot == NULL)) return toft_reap_alloc_slow(reap, size, alignment);
    reap->allocated++;
    return slot;
}

TOFT_ALWAYS_INLINE void toft_reap_free(toft_reap *reap, void *object, size_t size,
                                       size_t alignment) {
    if (object == NULL) return;
    if (TOFT_UNLIKELY(!toft_reap_fits_slot(size, alignment))) {
        toft_reap_free_large(reap, object, size, alignment);
        return;
    }
    unsigned size_class = toft_reap_class(size, alignment);
    toft_reap_slot *head = reap->free[size_class];
    if (TOFT_LIKELY(++reap->freed <= reap->allocated && (void *)head != object)) {
        toft_reap_set_next(object, head);
        reap->free[size_class] = (toft_reap_slot *)object;
        return;
    }
    toft_reap_free_slow(reap, object, size, size_class);
}

TOFT_ALWAYS_INLINE void *toft_reap_alloc_array(toft_reap *reap, size_t count, size_t size,
                                               size_t alignment) {
    if (TOFT_UNLIKELY(size != 0 && count > SIZE_MAX / size)) return NULL;
    return toft_reap_alloc(reap, count * size, alignment);
}

TOFT_ALWAYS_INLINE toft_arena *toft_reap_arena(toft_reap *reap) {
    reap->arena_shared = true;
    return &reap->arena;
}

TOFT_EXTERN_C_END

#endif
