/* SPDX-License-Identifier: MIT */
/* A reap: an arena whose objects can also be freed one by one. What is freed is handed out again,
 * and all still go at once.
 *
 *     free  +--------+     +------+     +------+
 *     lists | 24     | --> | slot | --> | slot |          the arena that slots come from
 *           | 32     |     +------+     +------+        +------+------+---------+---------+
 *           | ...    | --> ...                          | slot | slot | slot    | unused  |
 *           +--------+                                  +------+------+---------+---------+
 *
 *     toft_reap r = TOFT_REAP_INIT;
 *     struct node *n = toft_reap_new(&r, struct node);
 *     ...
 *     toft_reap_delete(&r, n);
 *     toft_reap_release(&r);
 *
 * A reap that has taken more than one chunk is as new when its last object is freed: what comes
 * next lies in a row again. While others live on in a large reap of small objects, beyond 4 MiB,
 * freed slots of up to 256 bytes are reused in the order of memory, for any of these sizes; slots
 * of all sizes serve each other before it grows, when a quarter of it is free; and at a limit of
 * 64 KiB or more in a reap of any size. The map for that takes 1.6 % of the chunks and some 2 KB,
 * within the limit; without memory for it, slots are reused in any order, each for its own size.
 *
 * No object carries a header: a free names the size and the alignment of the allocation, both in
 * bytes. Sizes are rounded up to a class: up to 128 bytes a multiple of 8; beyond, four classes
 * between each power of two and the next. An alignment is any power of two; beyond 16, a slot is a
 * power of two aligned to its own size. Size 0 gives a valid pointer of its own.
 * An object larger than TOFT_REAP_SLOT_MAX, or more strongly aligned, is a large object: it lies in
 * the first buffer while that has room, and else in an allocation of its own from the upstream,
 * which goes back when the object is freed.
 *
 * There is no free without a size: slots of all sizes lie in a row, and nothing says where one
 * ends. Who doesn't know the size takes a pool of their own, which has toft_pool_free_any.
 *
 * Threads: a reap belongs to one thread at a time. Different reaps need no agreement.
 * Failure is NULL: when there is no memory, when a limit would be exceeded, when a size can't be
 * represented, when an alignment isn't a power of two. What was allocated stays valid then, and the
 * reap usable.
 * Misuse that Toft detects prints one line to standard error and aborts; SECURITY.md has a table.
 * The words are explained in docs/glossary.md. */
#ifndef TOFT_REAP_H
#define TOFT_REAP_H

#include <toft/arena.h>

TOFT_EXTERN_C_BEGIN

/* As an arena's; large objects count towards limit_bytes. */
typedef toft_arena_options toft_reap_options;

/* The largest object that lies in a slot. */
#define TOFT_REAP_SLOT_MAX ((size_t)32768)

/* A variable of yours, initialised by TOFT_REAP_INIT or toft_reap_init. Assignment neither copies
   nor moves a reap: toft_reap_move does. Its fields are for the functions below. */
typedef struct toft_reap toft_reap;

/* Makes *reap ready, with options or, for NULL, with defaults. Takes no memory. What *reap held
   before is not looked at. */
TOFT_API void toft_reap_init(toft_reap *reap, const toft_reap_options *options);

/* A reap with defaults: no call, no memory, nothing to undo unless it is used. */
#ifdef __cplusplus
    #define TOFT_REAP_INIT                                                                         \
        toft_reap {}
#else
    #define TOFT_REAP_INIT {0}
#endif

/* Uninitialised memory. With constant size and alignment, six inlined instructions lead to the
   pointer of a reused slot, nine to that of a new one (x86-64); where the compiler doesn't know the
   size, some thirty. Takes constant time, except where a new chunk is needed, and where many slots
   were freed since and are put in order. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_reap_alloc(toft_reap *reap, size_t size,
                                                        size_t alignment);

/* Frees what toft_reap_alloc returned for this size and alignment. NULL is fine. Never fails. With
   constant size and alignment it takes at most fourteen instructions; two of them find the last
   freed object freed twice. While a savepoint stands it is out of line, and linear in the chunks
   and savepoints that are newer than the object. */
TOFT_ALWAYS_INLINE void toft_reap_free(toft_reap *reap, void *object, size_t size,
                                       size_t alignment);

/* An array of count objects of size bytes each; to be freed with count * size. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_reap_alloc_array(toft_reap *reap, size_t count,
                                                              size_t size, size_t alignment);

/* One object, and an array of n objects, of type T: uninitialised, aligned for T. toft_reap_delete
   and toft_reap_delete_array free them, by the type of the pointer; NULL is fine. */
#ifdef __cplusplus
    #define toft_reap_new(reap, T) static_cast<T *>(toft_reap_alloc((reap), sizeof(T), alignof(T)))
    #define toft_reap_new_array(reap, T, n)                                                        \
        static_cast<T *>(toft_reap_alloc_array((reap), (n), sizeof(T), alignof(T)))
    #define toft_reap_delete(reap, object)                                                         \
        toft_reap_free((reap), (object), sizeof *(object), alignof(decltype(*(object))))
    #define toft_reap_delete_array(reap, array, n)                                                 \
        toft_reap_free((reap), (array), (n) * sizeof *(array), alignof(decltype(*(array))))
#else
    #define toft_reap_new(reap, T) ((T *)toft_reap_alloc((reap), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_reap_new_array(reap, T, n)                                                        \
        ((T *)toft_reap_alloc_array((reap), (n), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_reap_delete(reap, object)                                                         \
        toft_reap_free((reap), (object), sizeof *(object), TOFT_ALIGNOF(__typeof__(*(object))))
    #define toft_reap_delete_array(reap, array, n)                                                 \
        toft_reap_free((reap), (array), (n) * sizeof *(array), TOFT_ALIGNOF(__typeof__(*(array))))
#endif

/* Makes object new_size bytes large and keeps its contents up to the smaller size. This is done in
   place where both sizes are of one class, and where a large object's block has the room and isn't
   left half empty; else the result is a copy. old_size and alignment are those
   that it was allocated with. NULL as object allocates. On failure object stays as it was. */
TOFT_NODISCARD TOFT_API void *toft_reap_resize(toft_reap *reap, void *object, size_t old_size,
                                               size_t new_size, size_t alignment);

/* The arena that slots come from, for what is never freed alone, such as by toft_arena_strdup and
   toft_arena_defer. Save, rewind, reset, release and move the reap, never its arena. While a
   savepoint stands, nothing older may be shrunk or freed by this arena. After this call the reap
   doesn't become as new when its last object is freed: only a reset makes it so. */
TOFT_ALWAYS_INLINE toft_arena *toft_reap_arena(toft_reap *reap);

/* A point to rewind to. It stands until it is rewound to, or an older one is, or the reap is reset
   or released. While it stands,
     - what was free before isn't handed out: all that is allocated lies behind the savepoint;
     - what is freed and was allocated since is handed out again at once;
     - what is freed and is older waits for the rewind.
   Rewinding frees all that was allocated since, large objects too. The slots that were free before
   are free again, and so are those that waited: no slot is lost, and none behind the savepoint
   stays in a list.
   toft_reap_save gives NULL when out of memory: a savepoint takes a slot of 640 bytes while it
   stands. Saving is constant time; rewinding is linear in the chunks and large objects freed and
   the functions run, however many slots there were. */
typedef struct toft_reap_savepoint toft_reap_savepoint;
TOFT_NODISCARD TOFT_API toft_reap_savepoint *toft_reap_save(toft_reap *reap);
TOFT_API void toft_reap_rewind(toft_reap *reap, toft_reap_savepoint *savepoint);

/* Frees everything. Memory is kept for reuse, up to keep_bytes, except that of large objects, which
   goes back. Otherwise as toft_arena_reset. */
TOFT_API void toft_reap_reset(toft_reap *reap);

/* Frees everything and gives all memory back. The reap is as after its initialisation, and usable.
   Linear in the chunks and large objects. */
TOFT_API void toft_reap_release(toft_reap *reap);

/* Moves from's memory and options to *to, which is not looked at before. *from is then as after
   TOFT_REAP_INIT. Savepoints go along. Not for a reap whose first buffer moves too. */
TOFT_API void toft_reap_move(toft_reap *to, toft_reap *from);

typedef struct toft_reap_stats {
    size_t used_bytes;       /* allocated now, rounded up; and all padding, which stays */
    size_t free_bytes;       /* freed, ready to be handed out again */
    size_t reserved_bytes;   /* held now: chunks, their headers, large objects, the first buffer */
    size_t high_water_bytes; /* the most that used_bytes and free_bytes have been together */
    size_t chunks;           /* held now, the first buffer and large objects included */
    /* Chunks and large objects taken and given back since the last release. Where keep_bytes isn't
       0, and is less than the first chunk's size, a reset counts as a release here, and so does
       becoming as new. */
    size_t upstream_allocations;
    size_t upstream_frees;
} toft_reap_stats;

/* Linear in the free slots, chunks and large objects. */
TOFT_API toft_reap_stats toft_reap_get_stats(const toft_reap *reap);

TOFT_EXTERN_C_END

#include <toft/detail/reap.h>

#endif
