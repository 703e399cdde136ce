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
 * Threads: an arena belongs to one thread at a time. Different arenas need no agreement.
 * Sizes are in bytes and are rounded up to 8, so that alignments up to 8 cost no instruction. An
 * alignment is any power of two. Size 0 gives a valid pointer of its own.
 * Failure is NULL: when there is no memory, when a limit would be exceeded, when a size or product
 * can't be represented, when an alignment isn't a power of two. What was allocated stays valid
 * then, and the arena usable. Misuse that Toft detects prints one line to standard error and
 * aborts; SECURITY.md has a table of it. The words are explained in docs/glossary.md. */
#ifndef TOFT_ARENA_H
#define TOFT_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <toft/upstream.h>

TOFT_EXTERN_C_BEGIN

/* A variable of yours, initialised by TOFT_ARENA_INIT or toft_arena_init. Assignment neither copies
   nor moves an arena: toft_arena_move does. Its fields are for the functions below. */
typedef struct toft_arena toft_arena;

/* An arena with defaults: no call, no memory, nothing to undo unless it is used. */
#ifdef __cplusplus
    #define TOFT_ARENA_INIT                                                                        \
        toft_arena {}
#else
    #define TOFT_ARENA_INIT {0}
#endif

/* Uninitialised memory. Takes constant time, except where a new chunk is needed. With constant size
   and alignment, five inlined instructions lead to the pointer, seven where the alignment is more
   than 8 (x86-64). */
TOFT_ALIGNED_BY(3)
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_arena_alloc(toft_arena *arena, size_t size,
                                                         size_t alignment);

/* An array of count objects of size bytes each. */
TOFT_ALIGNED_BY(4)
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_arena_alloc_array(toft_arena *arena, size_t count,
                                                               size_t size, size_t alignment);

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

/* All zero means defaults. */
typedef struct toft_arena_options {
    /* Where chunks come from; must outlive the arena. By default the system. */
    const toft_upstream *upstream TOFT_ZEROED;
    /* Used before any chunk and never freed: it is yours, and must outlive the arena. Make it
       TOFT_FIRST_BUFFER_OVERHEAD_BYTES larger than what it shall hold. */
    void *first_buffer TOFT_ZEROED;
    size_t first_buffer_bytes TOFT_ZEROED;
    /* The size of the first chunk, 64 KiB by default, and the least size of all. They grow to
       2 MiB; a larger object gets a larger chunk. From the system a chunk is a power of two and
       64 KiB at least, beyond 16 MiB a multiple of 2 MiB; with a limit_bytes it may be smaller. */
    size_t chunk_bytes TOFT_ZEROED;
    /* The most that the arena may hold: chunks, their headers, the first buffer, and what an
       upstream doesn't take back. By default there is no limit. The system's rounding of the last
       chunk to its page isn't counted. */
    size_t limit_bytes TOFT_ZEROED;
    /* The most that reset and rewind keep for reuse, beside what is in use then. 0, the default, is
       all of it, and TOFT_KEEP_NOTHING none. */
    size_t keep_bytes TOFT_ZEROED;
} toft_arena_options;

/* What an arena needs for itself of a first buffer that is aligned to 16. */
#define TOFT_FIRST_BUFFER_OVERHEAD_BYTES 112

/* Makes *arena ready, with options or, for NULL, with defaults. Takes no memory. What *arena held
   before is not looked at. */
TOFT_API void toft_arena_init(toft_arena *arena, const toft_arena_options *options);

/* As toft_arena_alloc_array, with all bytes zero. In calloc's place name 16 as alignment, which is
   enough for every type that asks for none of its own. */
TOFT_NODISCARD TOFT_API void *toft_arena_calloc(toft_arena *arena, size_t count, size_t size,
                                                size_t alignment) TOFT_ALIGNED_BY(4);

/* Copies of size bytes, of a string, and of at most the first max_length bytes of a string. string
   must not be NULL. */
TOFT_NODISCARD TOFT_API void *toft_arena_memdup(toft_arena *arena, const void *bytes, size_t size,
                                                size_t alignment) TOFT_ALIGNED_BY(4);
TOFT_NODISCARD TOFT_API char *toft_arena_strdup(toft_arena *arena, const char *string);
TOFT_NODISCARD TOFT_API char *toft_arena_strndup(toft_arena *arena, const char *string,
                                                 size_t max_length);

/* The text that printf would print, as a string. It is printed twice where it has more than 255
   bytes. NULL also where the C library can't print it: errno says why. */
TOFT_NODISCARD TOFT_API char *toft_arena_sprintf(toft_arena *arena, const char *format, ...)
    TOFT_PRINTF_LIKE(2, 3);
TOFT_NODISCARD TOFT_API char *toft_arena_vsprintf(toft_arena *arena, const char *format,
                                                  va_list arguments) TOFT_PRINTF_LIKE(2, 0);

/* Makes object new_size bytes large and keeps its contents up to the smaller size. This is done in
   place where the object shrinks, and where it is the last allocation and its chunk has room; else
   the result is a copy. NULL as object allocates. On failure object stays as it was.
   alignment may be another than the object was allocated with. Where the object happens not to lie
   so, the result is a copy, also of an object that shrinks: that takes memory, and may fail.
   What it grows by is freed by rewinding to a savepoint that is older than the growth, in place or
   not. */
TOFT_NODISCARD TOFT_API void *toft_arena_resize(toft_arena *arena, void *object, size_t old_size,
                                                size_t new_size, size_t alignment);

/* Grows object in place, from old_size to new_size, if it is the arena's last allocation and the
   inlined path has room for that, and says whether it did; toft_arena_resize knows more ways. It
   neither shrinks an object nor takes a chunk: false where new_size, rounded up, is less than
   old_size is, more than 64 KiB, or more than the current chunk has room for; and for NULL. */
TOFT_ALWAYS_INLINE bool toft_arena_grow_last(toft_arena *arena, void *object, size_t old_size,
                                             size_t new_size);

/* Frees object, of size bytes, if it is the arena's last allocation, and says whether it was: NULL
   never is. The next allocation takes its place. That matters to a savepoint in between: see
   toft_arena_rewind. */
TOFT_ALWAYS_INLINE bool toft_arena_free_last(toft_arena *arena, void *object, size_t size);

/* A point to rewind to. It is valid until its arena is rewound to an earlier one, reset, released
   or moved. Its fields are for the functions below. */
typedef struct toft_savepoint {
    const toft_arena *arena;
    struct toft_chunk *chunk;
    char *cur;
    struct toft_deferred *deferred;
    unsigned generation;
} toft_savepoint;

/* Rewinding to a savepoint frees everything that was allocated, and deferred, after it was taken:
   use none of it any more. The memory behind the savepoint is then allocated again, and kept for
   that up to keep_bytes. The memory before the savepoint isn't, so that older objects stay. This
   holds also for the place of an older object that was freed (toft_arena_free_last) or shrunk since
   the savepoint was taken, whatever has lain there in between: that place comes back with a rewind
   to an earlier savepoint, or a reset. So an arena never uses more after a rewind than when the
   savepoint was taken, but may use that much.
   Linear in the chunks freed and the functions run. */
TOFT_API toft_savepoint toft_arena_save(const toft_arena *arena);
TOFT_API void toft_arena_rewind(toft_arena *arena, toft_savepoint savepoint);

/* Has function(argument) called when the arena is rewound to before this point, reset or released.
   The last deferred runs first. Objects of the arena are still valid then, and the function may
   allocate, but it must not rewind, reset or release the arena. False when out of memory: nothing
   is noted then. */
TOFT_NODISCARD TOFT_API bool toft_arena_defer(toft_arena *arena, void (*function)(void *argument),
                                              void *argument);

/* Frees everything. Memory is kept for reuse, up to keep_bytes. Where that is less than the first
   chunk, this is a release. Linear in what was deferred, and with keep_bytes in the chunks. */
TOFT_API void toft_arena_reset(toft_arena *arena);

/* Frees everything and gives all memory back. The arena is as after its initialisation, and usable.
   What an upstream doesn't take back, the arena keeps for its own reuse. Linear in the number of
   chunks; for one chunk from the system some 30 instructions. */
TOFT_API void toft_arena_release(toft_arena *arena);

/* Whether a release would do nothing: no chunk was taken, nothing deferred, and the first buffer,
   if there is one, has been enough. It may be false for an empty arena too. */
TOFT_ALWAYS_INLINE bool toft_arena_holds_nothing(const toft_arena *arena);

/* Moves from's memory and options to *to, which is not looked at before. *from is then as after
   TOFT_ARENA_INIT. Savepoints don't go along. Not for an arena whose first buffer moves too. */
TOFT_API void toft_arena_move(toft_arena *to, toft_arena *from);

typedef struct toft_arena_stats {
    size_t used_bytes;           /* allocated now, rounding and padding included */
    size_t reserved_bytes;       /* held now: chunks, their headers, the first buffer */
    size_t high_water_bytes;     /* the most that used_bytes has been */
    size_t chunks;               /* held now, the first buffer included */
    size_t upstream_allocations; /* chunks taken and given back since the last release */
    size_t upstream_frees;
} toft_arena_stats;

/* Takes constant time, a call and a dozen loads, so that a program with a memory budget may
   look at used_bytes after every allocation. As all of the arena, for its own thread. */
TOFT_API toft_arena_stats toft_arena_get_stats(const toft_arena *arena);

TOFT_EXTERN_C_END

#include <toft/detail/arena.h>

#endif
