/* SPDX-License-Identifier: MIT */
/* A pool: objects of many sizes that come and go on many threads, freed in any order by any thread.
 *
 *     your thread                     all threads of the pool
 *    +--------------------------+    +----------------------+    +------------------------+
 *    | cache: for each class    |    | depot: for each class|    | spans: slots of one    |
 *    | a magazine of free slots | <> | full magazines       | <> | class, cut from blocks |
 *    +--------------------------+    +----------------------+    +------------------------+
 *      no lock, no atomic operation     one lock for each class     empty ones serve any class
 *
 *     struct node *n = toft_pool_alloc(toft_pool_shared(), sizeof *n);
 *     ...
 *     toft_pool_free(toft_pool_shared(), n, sizeof *n);
 *
 * Threads: every function may be called from any thread at any time, unless it says otherwise;
 * memory may be freed by another thread than allocated it, in thread-local destructors, at exit and
 * in the child of a fork.
 * Sizes are bytes, and so are alignments, which are powers of two. Size 0 gives a valid pointer.
 * A free names the size, and the alignment if one was asked for: no object carries a header. Both
 * must be those of the allocation; what is freed otherwise, or twice, is found out late if at all.
 * Who doesn't know them frees with toft_pool_free_any.
 * Failure: NULL, for memory, for a limit, for an alignment that is no power of two. Nothing has
 * changed then.
 * Cost: some ten instructions for sizes up to TOFT_POOL_SMALL_MAX; a constant size folds its class
 * away. */
#ifndef TOFT_POOL_H
#define TOFT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <toft/upstream.h>

TOFT_EXTERN_C_BEGIN

typedef struct toft_pool toft_pool;

/* Larger objects share blocks up to 1 MiB, and beyond are mapped each on their own. They take at
   most an eighth more than their size, and are kept for reuse up to a bound. */
#define TOFT_POOL_SMALL_MAX ((size_t)32768)

/* Size classes: steps of 8 bytes to 128 (those not divisible by 16 serve an explicit alignment of 8
   or less), of 16 to 512, and from there eight to each doubling. */
#define TOFT_POOL_CLASSES 88

/* A magazine is an aligned array of pointers to free slots, filled upwards. */
#define TOFT_POOL_MAGAZINE_BYTES ((uintptr_t)512)

/* A thread's cache of one pool: the explicit handle for the hottest loops. Its fields are for the
   functions below. */
#define TOFT_POOL_RECENT 4
typedef struct toft_pool_cache {
    /* A magazine that is always full: see detail/pool_any.h. */
    void **no_class;
    /* For each class the newest free slot of its magazine. Below a magazine's oldest stands NULL,
       and its last place is the last of its aligned block: neither test needs a second load. */
    void **top[TOFT_POOL_CLASSES];
    toft_pool *pool;
    /* In a thread's cache of the shared pool: its caches of the pools of your own used last. */
    struct {
        uint64_t pool_id;
        struct toft_pool_cache *cache;
    } recent[TOFT_POOL_RECENT];
} toft_pool_cache;

/* All zero means defaults. */
typedef struct toft_pool_options {
    /* Where blocks come from; NULL means the system. Must outlive the pool and may not use it. It
       is asked for blocks of 512 KiB and 2 MiB, aligned to 512 KiB; for larger objects, for blocks
       of 512 KiB to 4 MiB that they share, and for each beyond 1 MiB. */
    const toft_upstream *upstream TOFT_ZEROED;
    /* The most that the pool takes from its upstream; 0 means no limit. */
    size_t limit_bytes TOFT_ZEROED;
    /* Stands in messages about misuse and in the statistics; must outlive the pool. */
    const char *name TOFT_ZEROED;
} toft_pool_options;

typedef struct toft_pool_stats {
    const char *name;            /* of the options, or "unnamed"; "shared" */
    size_t live_bytes;           /* in objects, rounded up to their slots */
    size_t cached_bytes;         /* in free slots that threads and depots keep */
    size_t reserved_bytes;       /* held from the upstream */
    size_t high_water_bytes;     /* the most that reserved_bytes has been */
    size_t idle_bytes;           /* of reserved_bytes: was used, and is ready for any class */
    size_t caches;               /* of threads, living or waiting for a thread to adopt them */
    size_t upstream_allocations; /* blocks taken and given back so far */
    size_t upstream_frees;
} toft_pool_stats;

/* --- internal: what the fast paths below need --- */

#if defined(__cplusplus) && defined(__GNUC__)
    #define TOFT_POOL_THREAD_LOCAL __thread /* thread_local would be wrapped in a call */
#elif defined(__cplusplus)
    #define TOFT_POOL_THREAD_LOCAL thread_local
#else
    #define TOFT_POOL_THREAD_LOCAL _Thread_local
#endif
#if defined(__GNUC__) && defined(__ELF__)
    /* One instruction or two from anywhere. The library has two thread-local variables of 8 bytes
       each, so that dozens of libraries with a Toft inside can be loaded late. */
    #define TOFT_POOL_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
    #define TOFT_POOL_TLS_MODEL
#endif
/* The calling thread's cache of the shared pool. Trivial to construct and to destroy, so that no
   access is guarded; never NULL. */
extern TOFT_API TOFT_POOL_THREAD_LOCAL toft_pool_cache *toft_pool_shared_cache TOFT_POOL_TLS_MODEL;

extern TOFT_API toft_pool toft_pool_of_process;
extern TOFT_API const unsigned char toft_pool_class_table[129];

/* The first word of every toft_pool: never 0, never used again. */
TOFT_ALWAYS_INLINE uint64_t toft_pool_id(const toft_pool *pool) {
    return *(const uint64_t *)(const void *)pool;
}

TOFT_API TOFT_NOINLINE void *toft_pool_take_slow(toft_pool_cache *cache, unsigned size_class,
                                                 size_t size);
TOFT_API TOFT_NOINLINE void toft_pool_give_slow(toft_pool_cache *cache, void *object,
                                                unsigned size_class, size_t size);
TOFT_API TOFT_NOINLINE void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size,
                                                   size_t alignment);
TOFT_API TOFT_NOINLINE void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size,
                                                 size_t alignment);

#define TOFT_POOL_DEFAULT_ALIGNMENT(size) ((size) > 8 ? (size_t)16 : (size_t)8)

/* Of a size from 1 to TOFT_POOL_SMALL_MAX that is a multiple of its alignment. */
TOFT_ALWAYS_INLINE unsigned toft_pool_class_of_rounded(size_t size) {
    if (size <= 128) return (unsigned)((size + 7) / 8 - 1);
    if (size <= 512) return (unsigned)((size + 15) / 16 + 7);
    unsigned log2 = 63U - (unsigned)__builtin_clzll((unsigned long long)size - 1);
    return 40 + (log2 - 9) * 8 + (unsigned)((size - 1) >> (log2 - 3) & 7);
}

TOFT_ALWAYS_INLINE unsigned toft_pool_class_of_aligned(size_t size, size_t alignment) {
    size_t rounded = (size + (size == 0) + (alignment - 1)) & ~(alignment - 1);
    return toft_pool_class_of_rounded(rounded);
}

/* At the default alignment: folded for a constant size, else looked up. */
TOFT_ALWAYS_INLINE unsigned toft_pool_class_of(size_t size) {
    if (!__builtin_constant_p(size) && TOFT_LIKELY(size <= 1024))
        return toft_pool_class_table[(size + 7) / 8];
    return toft_pool_class_of_aligned(size, TOFT_POOL_DEFAULT_ALIGNMENT(size));
}

/* Whether a size fits a class with its alignment; never with one that is no power of two. */
TOFT_ALWAYS_INLINE bool toft_pool_is_small(size_t size, size_t alignment) {
    return size <= TOFT_POOL_SMALL_MAX && alignment - 1 < TOFT_POOL_SMALL_MAX &&
           (alignment & (alignment - 1)) == 0;
}

/* Relaxed, for toft_pool_get_stats alone: the owner is the only writer. */
TOFT_ALWAYS_INLINE void **toft_pool_top(const toft_pool_cache *cache, unsigned size_class) {
    return __atomic_load_n(&cache->top[size_class], __ATOMIC_RELAXED);
}
TOFT_ALWAYS_INLINE void toft_pool_set_top(toft_pool_cache *cache, unsigned size_class, void **top) {
    __atomic_store_n(&cache->top[size_class], top, __ATOMIC_RELAXED);
}

/* The size is that of the object, for the tools that watch. */
TOFT_ALWAYS_INLINE void *toft_pool_take(toft_pool_cache *cache, unsigned size_class, size_t size) {
    void **top = toft_pool_top(cache, size_class);
    void *object = *top;
    if (TOFT_UNLIKELY(object == NULL)) return toft_pool_take_slow(cache, size_class, size);
    toft_pool_set_top(cache, size_class, top - 1);
    return object;
}

TOFT_ALWAYS_INLINE void toft_pool_give(toft_pool_cache *cache, void *object, unsigned size_class,
                                       size_t size) {
    void **top = toft_pool_top(cache, size_class) + 1;
    if (TOFT_UNLIKELY(((uintptr_t)top & (TOFT_POOL_MAGAZINE_BYTES - 1)) == 0)) {
        toft_pool_give_slow(cache, object, size_class, size);
        return;
    }
    *top = object;
    toft_pool_set_top(cache, size_class, top);
}

/* --- the explicit handle --- */

/* The calling thread's cache of a pool, for the hottest loops: with it in hand, no thread-local
   variable is looked up. Valid on this thread alone, until it exits or the pool is destroyed; what
   is allocated through it is the pool's like all else. Never NULL. Costs a lock. */
TOFT_API TOFT_NOINLINE toft_pool_cache *toft_pool_thread_cache(toft_pool *pool);

/* As toft_pool_alloc and the others below. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_cache_alloc(toft_pool_cache *cache, size_t size) {
    if (TOFT_UNLIKELY(size > TOFT_POOL_SMALL_MAX)) return toft_pool_alloc_large(cache, size, 16);
    return toft_pool_take(cache, toft_pool_class_of(size), size);
}

TOFT_ALWAYS_INLINE void toft_pool_cache_free(toft_pool_cache *cache, void *object, size_t size) {
    if (TOFT_UNLIKELY(object == NULL)) return;
    if (TOFT_UNLIKELY(size > TOFT_POOL_SMALL_MAX))
        toft_pool_free_large(cache, object, size, 16);
    else
        toft_pool_give(cache, object, toft_pool_class_of(size), size);
}

TOFT_NODISCARD TOFT_ALWAYS_INLINE void *
toft_pool_cache_alloc_aligned(toft_pool_cache *cache, size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(!toft_pool_is_small(size, alignment)))
        return toft_pool_alloc_large(cache, size, alignment);
    return toft_pool_take(cache, toft_pool_class_of_aligned(size, alignment), size);
}

TOFT_ALWAYS_INLINE void toft_pool_cache_free_aligned(toft_pool_cache *cache, void *object,
                                                     size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(object == NULL)) return;
    if (TOFT_UNLIKELY(!toft_pool_is_small(size, alignment)))
        toft_pool_free_large(cache, object, size, alignment);
    else
        toft_pool_give(cache, object, toft_pool_class_of_aligned(size, alignment), size);
}

/* --- the pool --- */

/* The cache as far as it is known without a call. */
TOFT_ALWAYS_INLINE toft_pool_cache *toft_pool_current_cache(toft_pool *pool) {
    toft_pool_cache *shared = toft_pool_shared_cache;
    if (pool == &toft_pool_of_process) return shared;
    uint64_t id = toft_pool_id(pool);
    unsigned place = (unsigned)(id % TOFT_POOL_RECENT);
    if (TOFT_LIKELY(shared->recent[place].pool_id == id)) return shared->recent[place].cache;
    return toft_pool_thread_cache(pool);
}

/* The process's own pool. Needs no initialisation, is never destroyed, holds nothing until it is
   used. */
TOFT_ALWAYS_INLINE toft_pool *toft_pool_shared(void) { return &toft_pool_of_process; }

/* Uninitialised memory, aligned to 16 from a size of 9 bytes on, below to 8. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_alloc(toft_pool *pool, size_t size) {
    return toft_pool_cache_alloc(toft_pool_current_cache(pool), size);
}

TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_alloc_aligned(toft_pool *pool, size_t size,
                                                                size_t alignment) {
    return toft_pool_cache_alloc_aligned(toft_pool_current_cache(pool), size, alignment);
}

/* Frees what toft_pool_alloc returned for this size. Never fails. NULL is fine. */
TOFT_ALWAYS_INLINE void toft_pool_free(toft_pool *pool, void *object, size_t size) {
    toft_pool_cache_free(toft_pool_current_cache(pool), object, size);
}

/* Frees what toft_pool_alloc_aligned returned for this size and alignment. Never fails. NULL is
   fine. */
TOFT_ALWAYS_INLINE void toft_pool_free_aligned(toft_pool *pool, void *object, size_t size,
                                               size_t alignment) {
    toft_pool_cache_free_aligned(toft_pool_current_cache(pool), object, size, alignment);
}

/* --- objects whose size you don't know --- */

/* Frees what any function of this pool returned, whatever its size and alignment. NULL is fine. An
   object that is no pool's, or another pool's, is a misuse: large ones are found out at once. Costs
   a look-up more than a free that names the size: some six instructions and one cache line for
   each 2 MiB of the heap. */
TOFT_ALWAYS_INLINE void toft_pool_free_any(toft_pool *pool, void *object);

/* The pool that an address is of; NULL where it is no pool's memory: of another allocator, on a
   stack, or NULL. The answer is certain where the address is that of an object, or lies outside of
   all pools' memory. Takes no lock. */
TOFT_API toft_pool *toft_pool_of(const void *object);

/* How many bytes at an object may be used: what was asked for, or somewhat more. All may be written
   to, but a free that names a size must name the one that was asked for. 0 for what toft_pool_of
   doesn't know. Takes no lock. */
TOFT_API size_t toft_pool_usable_bytes(const void *object);

/* --- resizing and filling --- */

/* An object of new_size bytes with the contents of the old one, as far as both reach. The old one
   is freed if it isn't the same. NULL as object means an allocation. In place within a size class;
   in pools without an upstream, objects beyond 1 MiB are moved by remapping their pages. NULL when
   out of memory, and the old object is then as it was. */
TOFT_NODISCARD TOFT_API void *toft_pool_resize(toft_pool *pool, void *object, size_t old_size,
                                               size_t new_size);
TOFT_NODISCARD TOFT_API void *toft_pool_resize_aligned(toft_pool *pool, void *object,
                                                       size_t old_size, size_t new_size,
                                                       size_t alignment);

/* The same without the old size, for objects of the default alignment. An object that shrinks stays
   in place as long as it uses half of what it has: so the result must be freed and resized without
   its size, and shrinking never fails. */
TOFT_NODISCARD TOFT_API void *toft_pool_resize_any(toft_pool *pool, void *object, size_t new_size);

/* An array of count elements, all bytes zero; freed with count * size. */
TOFT_NODISCARD TOFT_API void *toft_pool_calloc(toft_pool *pool, size_t count, size_t size);
TOFT_NODISCARD TOFT_API void *toft_pool_calloc_aligned(toft_pool *pool, size_t count, size_t size,
                                                       size_t alignment);

/* A copy of a string; freed with strlen + 1, or without a size. */
TOFT_NODISCARD TOFT_API char *toft_pool_strdup(toft_pool *pool, const char *string);

/* --- pools of your own --- */

/* A pool of your own; NULL as options means defaults. NULL when out of memory. */
TOFT_NODISCARD TOFT_API toft_pool *toft_pool_create(const toft_pool_options *options);

/* Frees all of a pool's memory at once, live objects too. No other thread may use the pool then,
   nor later. NULL is fine; the shared pool can't be destroyed. */
TOFT_API void toft_pool_destroy(toft_pool *pool);

/* Gives back to the upstream what can be: everything idle in depots, spans, large objects kept for
   reuse, and in the caches of all threads, idle ones too. What stays is the magazine that another
   running thread has in use: at most 64 KiB of free slots for each class that it used, and none of
   the calling thread's. The same is done before any function of the pool returns NULL. Linear in
   the idle memory, and some microseconds for each CPU. */
TOFT_API void toft_pool_trim(toft_pool *pool);

/* Exact while no other thread uses the pool, else a snapshot that may be off by what they do
   meanwhile. */
TOFT_API toft_pool_stats toft_pool_get_stats(toft_pool *pool);

TOFT_EXTERN_C_END

#include <toft/detail/pool_any.h>

#endif
