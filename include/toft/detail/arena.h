/* SPDX-License-Identifier: MIT */
/* The inside of <toft/arena.h>: the fields of an arena, and the inlined paths. */
#ifndef TOFT_DETAIL_ARENA_H
#define TOFT_DETAIL_ARENA_H

#include <toft/arena.h>

TOFT_EXTERN_C_BEGIN

/* A function to be called when its arena is rewound, reset or released. It lies in the arena, in
   C++ in front of the object that it destroys. */
typedef struct toft_deferred {
    struct toft_deferred *next;
    void (*run)(struct toft_deferred *self);
} toft_deferred;

/* 80 bytes on 64-bit machines, which is as much as gcc clears without a loop. Everything else that
   an arena must know lies in the ledger, in its first chunk. The ledger and the first chunk's
   header are written only when they are needed, since most arenas end before. */
struct toft_arena {
    char *cur;                /* the next free byte, a multiple of 8 */
    char *end;                /* of the chunk; NULL while a tool tracks each allocation */
    char *high;               /* the highest that cur was in its chunk, where it moved down */
    struct toft_chunk *first; /* the oldest */
    toft_deferred *deferred;  /* the newest */
    const toft_upstream *upstream;
    size_t chunk_bytes;
    size_t limit_bytes;
    size_t keep_bytes;
    unsigned generation;   /* counts resets and releases, so that stale savepoints are recognised */
    bool ledger_unwritten; /* the first chunk begins with its owner, and no more is written yet */
    bool borrowed;         /* the first chunk is the first buffer */
};

/* Larger requests, and stronger alignments, take the out-of-line path. No chunk's end lies so near
   to the top of the address space that the sums below could wrap. */
#define TOFT_ARENA_INLINE_MAX ((size_t)65536)
#define TOFT_ARENA_GRANULE ((size_t)8)

TOFT_API TOFT_NOINLINE void *toft_arena_alloc_slow(toft_arena *arena, size_t size,
                                                   size_t alignment);
TOFT_API TOFT_NOINLINE void toft_arena_free_last_slow(toft_arena *arena, void *object);

TOFT_ALWAYS_INLINE size_t toft_arena_rounded(size_t size) {
    return (size + (TOFT_ARENA_GRANULE - 1)) & ~(TOFT_ARENA_GRANULE - 1);
}

TOFT_ALWAYS_INLINE void *toft_arena_alloc(toft_arena *arena, size_t size, size_t alignment) {
    uintptr_t object = (uintptr_t)arena->cur;
    uintptr_t mask = alignment - 1;
    if (alignment > TOFT_ARENA_GRANULE) object = (object + mask) & ~mask;
    uintptr_t next = object + toft_arena_rounded(size);
    bool usual = size - 1 < TOFT_ARENA_INLINE_MAX && alignment - 1 < TOFT_ARENA_INLINE_MAX &&
                 (alignment & (alignment - 1)) == 0;
    if (TOFT_LIKELY(usual && next <= (uintptr_t)arena->end)) {
        arena->cur = (char *)next;
        return (void *)object;
    }
    return toft_arena_alloc_slow(arena, size, alignment);
}

TOFT_ALWAYS_INLINE void *toft_arena_alloc_array(toft_arena *arena, size_t count, size_t size,
                                                size_t alignment) {
    if (TOFT_UNLIKELY(size != 0 && count > SIZE_MAX / size)) return NULL;
    return toft_arena_alloc(arena, count * size, alignment);
}

TOFT_ALWAYS_INLINE bool toft_arena_holds_nothing(const toft_arena *arena) {
    return (arena->first == NULL || (arena->ledger_unwritten && arena->borrowed)) &&
           arena->deferred == NULL;
}

TOFT_ALWAYS_INLINE bool toft_arena_free_last(toft_arena *arena, void *object, size_t size) {
    size_t rounded = toft_arena_rounded(size + (size == 0));
    if (object == NULL || (uintptr_t)object + rounded != (uintptr_t)arena->cur) return false;
    if (TOFT_UNLIKELY(arena->end == NULL)) {
        toft_arena_free_last_slow(arena, object);
        return true;
    }
    if (arena->high < arena->cur) arena->high = arena->cur;
    arena->cur = (char *)object;
    return true;
}

TOFT_ALWAYS_INLINE bool toft_arena_grow_last(toft_arena *arena, void *object, size_t old_size,
                                             size_t new_size) {
    uintptr_t end = (uintptr_t)object + toft_arena_rounded(old_size + (old_size == 0));
    uintptr_t next = (uintptr_t)object + toft_arena_rounded(new_size);
    bool room = new_size - 1 < TOFT_ARENA_INLINE_MAX && next <= (uintptr_t)arena->end;
    if (object == NULL || end != (uintptr_t)arena->cur || next < end || !room) return false;
    arena->cur = (char *)next;
    return true;
}

TOFT_EXTERN_C_END

#endif
