/* SPDX-License-Identifier: MIT */
/* A pool: objects of any size, above all small ones, that come and go on many threads. Any thread
 * may free any object, in any order.
 *
 *     your thread                     all threads of the pool
 *    +--------------------------+    +----------------------+    +------------------------+
 *    | cache: for each class    |    | depot: for each class|    | spans: slots of one    |
 *    | a magazine of free slots | <> | full magazines       | <> | class, cut from blocks |
 *    +--------------------------+    +----------------------+    +------------------------+
 *      no lock, no atomic operation     locks for some of them      empty ones serve any class
 *
 *     struct node *n = toft_pool_new(toft_pool_shared(), struct node);
 *     ...
 *     toft_pool_delete(toft_pool_shared(), n);
 *
 * Threads: every function may be called from any thread at any time, unless it says otherwise.
 * Memory may be freed by another thread than the one that allocated it, in thread-local
 * destructors, at exit and in the child of a fork.
 * Sizes are bytes, and so are alignments, which are powers of two. Size 0 gives a valid pointer.
 * A free names the size, and the alignment if one was asked for: no object carries a header. Both
 * must be those of the allocation. Without AddressSanitizer or Valgrind, a wrong size or a second
 * free is found late or never (SECURITY.md). If you don't know the size, use toft_pool_free_any.
 * Failure is NULL: when there is no memory, when a limit would be exceeded, when an alignment isn't
 * a power of two. Nothing has changed then.
 * Cost: some ten instructions for sizes up to TOFT_POOL_SMALL_MAX; for a constant size the compiler
 * computes the class.
 * Idle memory goes back to the upstream by itself, half of it twice a second, as long as one of
 * these happens; the last three count only where the pool's upstream is the system:
 * - a thread exchanges memory with this pool;
 * - a thread exchanges memory with another pool whose upstream is the system;
 * - an arena or a reap needs a chunk;
 * - a thread calls this pool again after a pause, while much lies idle.
 * A busy program's calls share that work, 1 MiB of small objects or a few pools at a time, so that
 * none waits long. No thread and no timer does it: before a long rest, call toft_pool_trim, or
 * toft_trim for the whole process.
 * The words are explained in docs/glossary.md. */
#ifndef TOFT_POOL_H
#define TOFT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include <toft/upstream.h>

TOFT_EXTERN_C_BEGIN

typedef struct toft_pool toft_pool;

/* The process's own pool. Needs no initialisation, is never destroyed, holds nothing until it is
   used. */
TOFT_ALWAYS_INLINE toft_pool *toft_pool_shared(void);

/* Larger objects of up to 1 MiB share blocks, and beyond are mapped each on their own. Such an
   object takes up to an eighth more memory than its size, beyond 1 MiB up to as much again; and an
   alignment beyond 64 is added to its size.
   What is freed is kept for reuse, of both kinds together up to 8 MiB or half of what is live in
   them, whichever is more. Where such objects come and go within half a second, as much may be kept
   as was live then, and of the system's memory new ones from 4 MiB on lie on huge pages. Beyond
   64 MiB an object is kept only then, and beyond 1 GiB never. What is kept beyond 1 MiB serves
   other lengths, too: an array that doubles grows into what one before it has left. All that is
   kept decays, as long as the pool is called. Zeroed memory of the system's beyond 32 MiB is always
   fresh, and isn't kept: what you don't touch of it takes none. */
#define TOFT_POOL_SMALL_MAX ((size_t)32768)

/* Uninitialised memory, aligned to 16 from a size of 9 bytes on, below to 8; or to any power of two
   that you name. With an alignment beyond 64, sizes from 1 KiB to TOFT_POOL_SMALL_MAX are rounded
   up to the next power of two. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_alloc(toft_pool *pool, size_t size);
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_alloc_aligned(toft_pool *pool, size_t size,
                                                                size_t alignment);

/* Frees what toft_pool_alloc returned for this size. Never fails. NULL is fine. */
TOFT_ALWAYS_INLINE void toft_pool_free(toft_pool *pool, void *object, size_t size);

/* Frees what toft_pool_alloc_aligned returned for this size and alignment. Never fails. NULL is
   fine. */
TOFT_ALWAYS_INLINE void toft_pool_free_aligned(toft_pool *pool, void *object, size_t size,
                                               size_t alignment);

/* An array of count elements of size bytes each, uninitialised; freed with count * size. The
   alignment is that of count * size bytes. NULL also where the product can't be represented. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_alloc_array(toft_pool *pool, size_t count,
                                                              size_t size);
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *
toft_pool_alloc_array_aligned(toft_pool *pool, size_t count, size_t size, size_t alignment);

/* One object, and an array of n objects, of type T: uninitialised, aligned for T. toft_pool_delete
   and toft_pool_delete_array free them, by the type of the pointer; NULL is fine. toft_pool_free is
   for neither, since it stands for another alignment. */
#ifdef __cplusplus
    #define toft_pool_new(pool, T)                                                                 \
        static_cast<T *>(toft_pool_alloc_aligned((pool), sizeof(T), alignof(T)))
    #define toft_pool_new_array(pool, T, n)                                                        \
        static_cast<T *>(toft_pool_alloc_array_aligned((pool), (n), sizeof(T), alignof(T)))
    #define toft_pool_delete(pool, object)                                                         \
        toft_pool_free_aligned((pool), (object), sizeof *(object), alignof(decltype(*(object))))
    #define toft_pool_delete_array(pool, array, n)                                                 \
        toft_pool_free_aligned((pool), (array), (n) * sizeof *(array), alignof(decltype(*(array))))
#else
    #define toft_pool_new(pool, T)                                                                 \
        ((T *)toft_pool_alloc_aligned((pool), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_pool_new_array(pool, T, n)                                                        \
        ((T *)toft_pool_alloc_array_aligned((pool), (n), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_pool_delete(pool, object)                                                         \
        toft_pool_free_aligned((pool), (object), sizeof *(object),                                 \
                               TOFT_ALIGNOF(__typeof__(*(object))))
    #define toft_pool_delete_array(pool, array, n)                                                 \
        toft_pool_free_aligned((pool), (array), (n) * sizeof *(array),                             \
                               TOFT_ALIGNOF(__typeof__(*(array))))
#endif

/* --- objects whose size you don't know --- */

/* Frees what any function of this pool returned, whatever its size and alignment. NULL is fine. An
   object that is no pool's, or another pool's, is a misuse: found at once, but for another pool's
   small one, which is found late. A pointer of more than 48 bits, such as a tagged one, is
   undefined behaviour: the free reads at an address made of it, and the pointer may be handed out
   again. Costs a look-up more than a free that names the size: some six instructions and one cache
   line for each 2 MiB of the heap. */
TOFT_ALWAYS_INLINE void toft_pool_free_any(toft_pool *pool, void *object);

/* The pool that an address is of; NULL where it is no pool's memory: of another allocator, on a
   stack, or NULL. The answer is certain where the address is that of an object, or lies outside of
   all pools' memory. Takes no lock. */
TOFT_API toft_pool *toft_pool_of(const void *object);

/* How many bytes at an object may be used: what was asked for, or more. All may be written
   to, but a free that names a size must name the one that was asked for. 0 for what toft_pool_of
   doesn't know. Takes no lock. */
TOFT_API size_t toft_pool_usable_bytes(const void *object);

/* --- resizing and filling --- */

/* An object of new_size bytes with the contents of the old one, as far as both reach. The old one
   is freed if it isn't the same. NULL as object means an allocation. In place within a size class,
   and, from TOFT_POOL_SMALL_MAX to 1 MiB, where what lies behind the object is free; in pools
   without an upstream, objects beyond 1 MiB are moved by remapping their pages. NULL when
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

/* A copy of a string, which must not be NULL; freed with strlen + 1, or without a size. */
TOFT_NODISCARD TOFT_API char *toft_pool_strdup(toft_pool *pool, const char *string);

/* --- pools of your own --- */

/* All zero means defaults. */
typedef struct toft_pool_options {
    /* Where blocks come from; NULL means the system. Must outlive the pool, and may use
       neither it nor a pool made later. It is asked for
       - blocks of 512 KiB and 2 MiB, aligned to 512 KiB, for small objects;
       - blocks of 512 KiB to 4 MiB, which objects larger than TOFT_POOL_SMALL_MAX share; where it
         has none, for one as long as a single object needs, 40 KiB or more;
       - a block of its own for an object beyond 1 MiB.
       The last two are aligned to 64. */
    const toft_upstream *upstream TOFT_ZEROED;
    /* The most that the pool takes from its upstream; 0 means no limit. Small objects come from
       blocks of 512 KiB, of which each size class takes pieces of its own: where sizes are mixed,
       the least useful limit is 1.5 to 2 MiB, 1 MiB serves some 40 KB of objects, and less than
       512 KiB none. A lower limit, as for many small sessions, is a reap's case, which needs little
       more than its objects. */
    size_t limit_bytes TOFT_ZEROED;
    /* The most that may lie idle in the pool, of small objects and again of large ones; more goes
       back at once. What threads' caches hold doesn't count, and a free slot there keeps the whole
       span that it lies in, 32 to 160 KiB.
       TOFT_KEEP_NOTHING: nothing lies idle.
       0: the pool decides. Of small objects, the most of these may lie idle: 16 MiB, a quarter of
       the bytes in their blocks, and what the program gave back lately and soon asked for again, up
       to what was in use lately, or 48 MiB if that is more. Of large ones, likewise: 8 MiB, half of
       the bytes that live, and what was asked for again, counted apart up to 1 MiB and beyond. What
       stays idle decays, as long as the pool is used. */
    size_t keep_bytes TOFT_ZEROED;
    /* Stands in messages about misuse and in the statistics; must outlive the pool. */
    const char *name TOFT_ZEROED;
} toft_pool_options;

/* A pool of your own; NULL as options means defaults. NULL when out of memory. A pool takes some
   20 KiB when it is created, 20 more with its first object, and then 4 to 5 for each size class
   that it uses (resident memory, x86-64). Many small sessions, each on one thread at a time, are a
   reap's case: an object of each of 31 sizes, 22 KiB in all, takes 174 KiB of a pool, and 24 of a
   reap. */
TOFT_NODISCARD TOFT_API toft_pool *toft_pool_create(const toft_pool_options *options);

/* Frees all of a pool's memory at once, live objects too. Of memory from the system, up to 16 MiB
   stay warm for the next pools, with their contents: then one for each document or request costs a
   microsecond. Up to 12 MiB of that may be mappings of large objects, and such a mapping serves
   only an object of the same size. If you have changed the protection of a page, as with mprotect,
   change it back before. No other thread may use the pool then, nor later. NULL is fine; the
   shared pool can't be destroyed. To destroy a pool twice is a misuse that is detected, unless a
   later pool has got its address. */
TOFT_API void toft_pool_destroy(toft_pool *pool);

/* Gives back to the upstream what can be: everything idle in depots, spans, large objects kept for
   reuse, and in the caches of all threads, idle ones too; for a pool without an upstream, also what
   destroyed pools left. Only the magazines that another running thread has in use stay: at most
   64 KiB of free slots for each class that it used. The calling thread keeps none. The same is done
   before any function of the pool returns NULL, except for a size that could never be had. Linear
   in the idle memory, and some microseconds for each CPU. */
TOFT_API void toft_pool_trim(toft_pool *pool);

typedef struct toft_pool_stats {
    const char *name;            /* of the options, or "unnamed"; "shared" */
    size_t live_bytes;           /* in objects, rounded up to their slots */
    size_t cached_bytes;         /* free, in caches and depots; and kept of large objects */
    size_t reserved_bytes;       /* held from the upstream */
    size_t high_water_bytes;     /* the most that reserved_bytes has been */
    size_t idle_bytes;           /* free, in small objects' blocks; none of cached_bytes */
    size_t caches;               /* of threads, living or waiting for a thread to adopt them */
    size_t upstream_allocations; /* blocks taken and given back so far */
    size_t upstream_frees;
} toft_pool_stats;

/* Exact while no other thread uses the pool. Otherwise a snapshot, which may be off by what they do
   meanwhile. Linear in the threads' caches and the size classes; takes locks. */
TOFT_API toft_pool_stats toft_pool_get_stats(toft_pool *pool);

/* The calling thread's cache of a pool, an explicit handle for the hottest loops: with it in hand,
   no thread-local variable is looked up. Valid on this thread alone, until it exits or the pool is
   destroyed. What is allocated through it is the pool's like all else, and may be freed by the
   functions above. Never NULL. Costs a lock. */
typedef struct toft_pool_cache toft_pool_cache;
TOFT_API TOFT_NOINLINE toft_pool_cache *toft_pool_thread_cache(toft_pool *pool);

/* As toft_pool_alloc and the others above. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_pool_cache_alloc(toft_pool_cache *cache, size_t size);
TOFT_ALWAYS_INLINE void toft_pool_cache_free(toft_pool_cache *cache, void *object, size_t size);
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *
toft_pool_cache_alloc_aligned(toft_pool_cache *cache, size_t size, size_t alignment);
TOFT_ALWAYS_INLINE void toft_pool_cache_free_aligned(toft_pool_cache *cache, void *object,
                                                     size_t size, size_t alignment);

TOFT_EXTERN_C_END

#include <toft/detail/pool.h>

#endif
