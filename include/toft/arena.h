/* SPDX-License-Identifier: MIT */
/* An arena: objects that die together, allocated by moving a pointer and freed all at once.
 *
 *      first chunk                current chunk
 *     +--------+----------+      +--------+-----------+----------+      +--------+----------+
 *     | header | used     | <--> | header | used      | free     | <--> | header | kept     |
 *     +--------+----------+      +--------+-----------+----------+      +--------+----------+
 *                                                     ^cur       ^end
 *
 *     toft_arena a = TOFT_ARENA_INIT;
 *     struct node *n = toft_new(&a, struct node);
 *     ...
 *     toft_arena_release(&a);
 *
 * Threads: an arena belongs to one thread at a time; different arenas need no agreement.
 * Sizes are in bytes, rounded up to 8, so that alignments up to 8 cost no instruction. An alignment
 * is any power of two. Size 0 gives a valid pointer of its own.
 * Failure is NULL: for want of memory, for a limit, for a size or product that can't be
 * represented, for an alignment that isn't a power of two. What was allocated stays valid then, and
 * the arena usable. Misuse that we detect prints one line to standard error and aborts.
 * Assignment doesn't copy an arena, nor move it: toft_arena_move does. */
#ifndef TOFT_ARENA_H
#define TOFT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <toft/upstream.h>

TOFT_EXTERN_C_BEGIN

/* All zero means defaults. */
typedef struct toft_arena_options {
    /* Where chunks come from; must outlive the arena. By default the system. */
    const toft_upstream *upstream TOFT_ZEROED;
    /* Used before any chunk and never freed: it is yours, and must outlive the arena. It should
       have TOFT_FIRST_BUFFER_OVERHEAD_BYTES more than it shall hold. */
    void *first_buffer TOFT_ZEROED;
    size_t first_buffer_bytes TOFT_ZEROED;
    /* The size of the first chunk, 64 KiB by default, and the least size of all. They grow to
       4 MiB; a larger object gets a larger chunk. */
    size_t chunk_bytes TOFT_ZEROED;
    /* The most that the arena may hold: chunks, their headers, the first buffer, and what an
       upstream doesn't take back. By default there is no limit. The system's rounding of the last
       chunk to its page isn't counted. */
    size_t limit_bytes TOFT_ZEROED;
    /* The most that reset and rewind keep for reuse; by default all of it. */
    size_t keep_bytes TOFT_ZEROED;
} toft_arena_options;

/* What the arena's books take of a first buffer that is aligned to 16. */
#define TOFT_FIRST_BUFFER_OVERHEAD_BYTES 112

/* A function to be called when its arena is rewound, reset or released. It lies in the arena, in
   C++ in front of the object that it destroys. */
typedef struct toft_deferred {
    struct toft_deferred *next;
    void (*run)(struct toft_deferred *self);
} toft_deferred;

/* Its fields are for the functions below; change none. 80 bytes on 64-bit machines, as much as gcc
   clears without a loop: the books of an arena lie in its first chunk. That is shut until they are
   needed: most arenas end before. */
typedef struct toft_arena {
    char *cur;                /* the next free byte, a multiple of 8 */
    char *end;                /* of the chunk; NULL while a tool watches each allocation */
    char *high;               /* the highest that cur was in its chunk, where it moved down */
    struct toft_chunk *first; /* the oldest */
    toft_deferred *deferred;  /* the newest */
    const toft_upstream *upstream;
    size_t chunk_bytes;
    size_t limit_bytes;
    size_t keep_bytes;
    unsigned generation; /* counts resets and releases, to know stale savepoints by */
    bool shut;           /* nothing is written in the first chunk but its owner */
    bool borrowed;       /* the first chunk is the first buffer */
} toft_arena;

/* An arena with defaults: no call, no memory, nothing to undo unless it is used. */
#ifdef __cplusplus
    #define TOFT_ARENA_INIT                                                                        \
        toft_arena {}
#else
    #define TOFT_ARENA_INIT {0}
#endif

/* A point to rewind to. Valid until its arena is rewound to an earlier one, reset or released. */
typedef struct toft_savepoint {
    const toft_arena *arena;
    struct toft_chunk *chunk;
    char *cur;
    toft_deferred *deferred;
    unsigned generation;
} toft_savepoint;

typedef struct toft_arena_stats {
    size_t used_bytes;           /* allocated now, rounding and padding included */
    size_t reserved_bytes;       /* held now: chunks, their headers, the first buffer */
    size_t high_water_bytes;     /* the most that used_bytes has been */
    size_t chunks;               /* held now, the first buffer included */
    size_t upstream_allocations; /* chunks taken and given back so far */
    size_t upstream_frees;
} toft_arena_stats;

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

/* Uninitialised memory. Constant time but for a chunk change; with constant size and alignment five
   instructions until the pointer is there, seven beyond an alignment of 8 (x86-64). */
TOFT_ALIGNED_BY(3)
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_arena_alloc(toft_arena *arena, size_t size,
                                                         size_t alignment) {
    uintptr_t object = (uintptr_t)arena->cur;
    if (alignment > TOFT_ARENA_GRANULE)
        object = (object + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
    uintptr_t next = object + toft_arena_rounded(size);
    bool usual = size - 1 < TOFT_ARENA_INLINE_MAX && alignment - 1 < TOFT_ARENA_INLINE_MAX &&
                 (alignment & (alignment - 1)) == 0;
    if (TOFT_LIKELY(usual && next <= (uintptr_t)arena->end)) {
        arena->cur = (char *)next;
        return (void *)object;
    }
    return toft_arena_alloc_slow(arena, size, alignment);
}

/* An array of count objects of size bytes each. */
TOFT_ALIGNED_BY(4)
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_arena_alloc_array(toft_arena *arena, size_t count,
                                                               size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(size != 0 && count > SIZE_MAX / size)) return NULL;
    return toft_arena_alloc(arena, count * size, alignment);
}

/* One object, and an array of n objects, of type T: uninitialised, aligned for T. */
#ifdef __cplusplus
    #define toft_new(arena, T) static_cast<T *>(toft_arena_alloc((arena), sizeof(T), alignof(T)))
    #define toft_new_array(arena, T, n)                                                            \
        static_cast<T *>(toft_arena_alloc_array((arena), (n), sizeof(T), alignof(T)))
#else
    #define toft_new(arena, T) ((T *)toft_arena_alloc((arena), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_new_array(arena, T, n)                                                            \
        ((T *)toft_arena_alloc_array((arena), (n), sizeof(T), TOFT_ALIGNOF(T)))
#endif

/* Whether a release would do nothing: no chunk was taken, nothing deferred, and a first buffer, if
   there is one, hasn't been left. False may be an empty arena too. */
TOFT_ALWAYS_INLINE bool toft_arena_holds_nothing(const toft_arena *arena) {
    return (arena->first == NULL || (arena->shut && arena->borrowed)) && arena->deferred == NULL;
}

/* Frees object, of size bytes, if it is the arena's last allocation, and says whether it was. What
   is allocated next takes its place, which matters to a savepoint in between: see rewind. */
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

/* Grows object in place, from old_size to new_size, if it is the arena's last allocation and the
   inlined path has room for that, and says whether it did; toft_arena_resize knows more ways. */
TOFT_ALWAYS_INLINE bool toft_arena_grow_last(toft_arena *arena, void *object, size_t old_size,
                                             size_t new_size) {
    uintptr_t end = (uintptr_t)object + toft_arena_rounded(old_size + (old_size == 0));
    uintptr_t next = (uintptr_t)object + toft_arena_rounded(new_size);
    bool room = new_size - 1 < TOFT_ARENA_INLINE_MAX && next <= (uintptr_t)arena->end;
    if (object == NULL || end != (uintptr_t)arena->cur || next < end || !room) return false;
    arena->cur = (char *)next;
    return true;
}

/* Makes *arena ready, with options or, for NULL, with defaults. Takes no memory; what *arena held
   before is not looked at. */
TOFT_API void toft_arena_init(toft_arena *arena, const toft_arena_options *options);

/* Moves from's memory and options to *to, which is not looked at before. *from is then as after
   TOFT_ARENA_INIT. Not for an arena whose first buffer moves too. */
TOFT_API void toft_arena_move(toft_arena *to, toft_arena *from);

/* As toft_arena_alloc_array, all bytes zero. */
TOFT_NODISCARD TOFT_API void *toft_arena_calloc(toft_arena *arena, size_t count, size_t size,
                                                size_t alignment) TOFT_ALIGNED_BY(4);

/* Makes object new_size bytes large and keeps its contents up to the smaller size. In place where
   it shrinks, and where it is the last allocation and its chunk has room; else a copy. NULL as
   object allocates; on failure object stays as it was. What it grows by is freed by rewinding to a
   savepoint that is older than the growth, in place or not. */
TOFT_NODISCARD TOFT_API void *toft_arena_resize(toft_arena *arena, void *object, size_t old_size,
                                                size_t new_size, size_t alignment);

/* Copies: of size bytes; of a string; of a string's first max_length bytes at most. */
TOFT_NODISCARD TOFT_API void *toft_arena_memdup(toft_arena *arena, const void *bytes, size_t size,
                                                size_t alignment) TOFT_ALIGNED_BY(4);
TOFT_NODISCARD TOFT_API char *toft_arena_strdup(toft_arena *arena, const char *string);
TOFT_NODISCARD TOFT_API char *toft_arena_strndup(toft_arena *arena, const char *string,
                                                 size_t max_length);

/* Everything allocated, and deferred, after the savepoint was taken is freed by rewinding to it:
   use none of it any more. The memory behind the savepoint is then allocated again, and kept for
   that up to keep_bytes. The memory before it isn't, so that what is older stays: also not the
   place of an older object that was freed since (toft_arena_free_last) or shrunk, whatever has lain
   there in between. That comes back with a rewind to an earlier savepoint, or a reset. So an arena
   never uses more after a rewind than when the savepoint was taken, but may use that much.
   Linear in the chunks freed and the functions run. */
TOFT_API toft_savepoint toft_arena_save(const toft_arena *arena);
TOFT_API void toft_arena_rewind(toft_arena *arena, toft_savepoint savepoint);

/* Has function(argument) called when the arena is rewound to before this point, reset or released;
   the last deferred runs first. Objects of the arena are still valid then, and it may allocate, but
   it must not rewind, reset or release the arena. False when out of memory: nothing is noted. */
TOFT_NODISCARD TOFT_API bool toft_arena_defer(toft_arena *arena, void (*function)(void *argument),
                                              void *argument);

/* Frees everything. Memory is kept for reuse, up to keep_bytes; where that is less than the first
   chunk, this is a release. Constant time without keep_bytes. */
TOFT_API void toft_arena_reset(toft_arena *arena);

/* Frees everything and gives all memory back. The arena is as after its initialisation, and usable;
   what an upstream doesn't take back, it keeps for its own reuse. Linear in the number of chunks;
   for one chunk from the system some 30 instructions. */
TOFT_API void toft_arena_release(toft_arena *arena);

/* Linear in the number of chunks. */
TOFT_API toft_arena_stats toft_arena_get_stats(const toft_arena *arena);

TOFT_EXTERN_C_END

#endif
