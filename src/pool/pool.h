/* SPDX-License-Identifier: MIT */
/* The inside of a pool, and which lock guards what.
 *
 *     thieves  >  registry  >  pool.lock  >  cache.lock  >  one of pool.depot_locks  >  large.lock
 *              >  heap.lock  >  those of the pool's upstream, where that is an older pool
 *
 * A thread that holds a lock takes only those to its right; a fork takes all of them, in this
 * order. A cache's lock is owned by its thread, which enters it at no cost; others steal what it
 * guards (process/owned_lock.h). Nothing else here is lock-free: a lock is taken once for a
 * magazine's worth of objects. */
#ifndef TOFT_POOL_POOL_H
#define TOFT_POOL_POOL_H

#include "pool/large.h"
#include "pool/magazine.h"
#include "pool/span.h"
#include "process/process.h"

/* How much memory may wait for reuse. In the magazines of a thread's cache beside those in use; in
   those of all caches together, which is that much and an eighth of what the pool holds; in the
   depots; in units that no span uses; in large objects. */
#define TOFT_POOL_CACHE_BYTES ((size_t)2 << 20)
#define TOFT_POOL_CACHES_BYTES ((size_t)32 << 20)
#define TOFT_POOL_DEPOT_BYTES ((size_t)16 << 20)
#define TOFT_POOL_IDLE_BYTES ((size_t)16 << 20)
#define TOFT_POOL_LARGE_BYTES ((size_t)16 << 20)

/* Of these, the magazines of one class in its depot. Freed slots beyond them go back to their spans
   at once, and are handed out again in the order of memory, not of their frees. */
#define TOFT_POOL_DEPOT_MAGAZINES 32U

/* Fresh slots that a bin takes at once: whole pairs of cache lines in any class, so that no two
   threads' slots share one. */
#define TOFT_REFILL_MIN 16U
#define TOFT_REFILL_MAX 48U

/* Caches that wait for a thread to adopt them; more are emptied. */
#define TOFT_POOL_ORPHANS_MAX 16U

#define TOFT_POOL_OF_PROCESS_ID 1

/* A cache's magazines of one class besides the one in use. */
typedef struct toft_bin {
    toft_magazine *full;
    toft_magazine *empty;
    toft_span *span; /* its own source of fresh slots, or NULL; guarded by the depot's lock */
    uint16_t full_count;
    uint16_t full_low; /* the least that full_count has been since the last step of decay */
    uint16_t refill;   /* slots to take from spans at once; doubles */
} toft_bin;

/* The whole of a thread's cache. The magazines in use are the owner's alone, also while others have
   stolen the rest. */
typedef struct toft_cache {
    toft_pool_cache fast;
    toft_owned_lock lock; /* of the next three */
    toft_bin bins[TOFT_POOL_CLASSES];
    unsigned exchanges;      /* of magazines, so far */
    unsigned exchanges_then; /* at the last step of decay; guarded by pool.lock */
    size_t full_bytes;       /* of the slots in full magazines */
    size_t claimed_bytes;    /* that they may have; out of pool.claimed_bytes */
    toft_thread *owner;      /* NULL: an orphan */
    struct toft_cache *next;
} toft_cache;

/* Written under the cache's lock; others read it meanwhile. */
static inline unsigned toft_bin_full_count(const toft_bin *bin) {
    return __atomic_load_n(&bin->full_count, __ATOMIC_RELAXED);
}
static inline void toft_bin_set_full_count(toft_bin *bin, unsigned count) {
    __atomic_store_n(&bin->full_count, (uint16_t)count, __ATOMIC_RELAXED);
}

static inline unsigned toft_cache_exchanges(const toft_cache *cache) {
    return __atomic_load_n(&cache->exchanges, __ATOMIC_RELAXED);
}

static inline unsigned toft_cache_class(void) {
    return toft_pool_class_of_rounded(sizeof(toft_cache));
}

/* What the threads share of a class; guarded by pool.depot_locks[class % TOFT_POOL_DEPOT_LOCKS].
   Few locks for many classes: a fork holds all, and ThreadSanitizer bears no more than 64. */
#define TOFT_POOL_DEPOT_LOCKS 8U
typedef struct toft_depot {
    toft_magazine *full;
    toft_magazine *empty;
    size_t full_count;
    size_t full_low; /* the least that full_count has been since the last step of decay */
    size_t empty_count;
    toft_span *spans;      /* with free slots */
    size_t taken_slots;    /* from all spans: in objects, magazines and our own records */
    size_t internal_slots; /* of taken_slots: magazines and caches */
} toft_depot;

/* Blocks from the upstream, and the segments in them. */
typedef struct toft_heap {
    toft_os_mutex lock;
    const toft_upstream *upstream; /* NULL: the system */
    size_t limit_bytes;            /* 0: none */
    size_t reserved_bytes;         /* large objects included */
    size_t high_water_bytes;
    size_t upstream_allocations;
    size_t upstream_frees;
    toft_block *blocks;
    unsigned unused_blocks; /* those that hold no span */
    toft_segment *segments; /* with free units */
    size_t dirty_units;     /* free, and touched before: idle memory */
    size_t dirty_low_units; /* the least of those since the last step of decay */
    size_t free_units;
} toft_heap;

/* Objects freed last, while a tool watches: they are handed out again only when as many others have
   been freed, so that the tool sees who still uses them. */
#define TOFT_QUARANTINE_PLACES 256U
typedef struct toft_quarantine {
    void *slots[TOFT_QUARANTINE_PLACES]; /* NULL: none */
    unsigned oldest;
} toft_quarantine;

struct toft_pool {
    uint64_t id;
    toft_pool_cache
        none; /* what a thread without a cache points to: every operation on it is slow */
    const char *name;
    toft_os_mutex lock; /* of the next four */
    toft_cache *caches; /* of threads, and orphans */
    unsigned orphans;
    toft_cache common; /* for threads that can't have one of their own */
    toft_quarantine quarantine;
    uint64_t decayed_at_ms; /* the last step; atomic */
    size_t claimed_bytes;   /* by caches, for their full magazines; atomic */
    size_t depot_bytes;     /* in full magazines of all depots; atomic */
    toft_os_mutex depot_locks[TOFT_POOL_DEPOT_LOCKS];
    toft_depot depots[TOFT_POOL_CLASSES];
    toft_heap heap;
    toft_large_store large;
    toft_pool *next; /* of all pools; guarded by the registry's lock */
};

/* --- heap.c --- */
toft_span *toft_heap_take(toft_pool *pool, unsigned size_class);
void toft_heap_give(toft_pool *pool, toft_span *span);
/* Gives idle memory back until at most keep_bytes of it are left. */
void toft_heap_trim(toft_pool *pool, size_t keep_bytes);
/* Gives back what has been idle since the last step, but for so many halvings of it. */
void toft_heap_decay(toft_pool *pool, unsigned halvings);
void toft_heap_destroy(toft_pool *pool);
/* Memory from the upstream, counted; NULL for a limit too. The heap's lock must be held. */
void *toft_heap_map(toft_pool *pool, size_t bytes, size_t alignment);
void toft_heap_unmap(toft_pool *pool, void *memory, size_t bytes, size_t alignment);

/* The span that the pool's object lies in, or would lie in; NULL where its memory isn't the pool's.
   Linear in the pool's blocks. */
toft_span *toft_heap_find(toft_pool *pool, const void *object);

/* --- depot.c --- */
/* Exchanges an empty magazine of the bin's for a full one, or puts up to bin->refill fresh slots
   into it. Returns the top of what the bin has now: of an empty magazine when out of memory. */
void **toft_depot_refill(toft_pool *pool, toft_magazine *empty, unsigned size_class, toft_bin *bin);
/* Takes the bin's span back. */
void toft_depot_disown(toft_pool *pool, unsigned size_class, toft_bin *bin);
/* Takes a full magazine. Returns an empty one if there is one at hand, or NULL. */
toft_magazine *toft_depot_spill(toft_pool *pool, toft_magazine *full, unsigned size_class);
/* An empty magazine, or NULL when out of memory. */
toft_magazine *toft_depot_take_empty(toft_pool *pool, unsigned size_class);
void toft_depot_give_empty(toft_pool *pool, toft_magazine *empty, unsigned size_class);
/* Puts the slots in a magazine, from *top down, back into their spans. */
void toft_depot_give_slots(toft_pool *pool, void **top, unsigned size_class);
/* How many slots of a class are out of their spans, in objects and elsewhere, and how many of them
   lie in the depot's magazines. */
size_t toft_depot_count(toft_pool *pool, unsigned size_class, size_t *cached_slots);
/* Puts all slots that the depots hold back into their spans. */
void toft_depot_trim(toft_pool *pool);
/* The same for what has lain there since the last step, but for so many halvings of it. */
void toft_depot_decay(toft_pool *pool, unsigned halvings);

/* --- cache.c: the caller is inside the cache's lock, or holds the lock of the pool whose common or
   orphaned cache it is --- */
void toft_cache_init(toft_cache *cache, toft_pool *pool);
/* Hands everything but the magazines in use to the depots. */
void toft_cache_retire(toft_cache *cache);
/* Hands to the depots what no one took since the last step of decay, but for so many halvings. */
void toft_cache_decay(toft_cache *cache, unsigned halvings);
/* Gives everything that a cache holds back to the spans; for its own thread, and orphans. */
void toft_cache_empty(toft_cache *cache);
/* Forgets the magazines in use, which nobody can tell the state of. */
void toft_cache_abandon(toft_cache *cache);
void *toft_cache_take(toft_cache *cache, unsigned size_class);
void toft_cache_give(toft_cache *cache, void *object, unsigned size_class);

/* --- thread.c --- */
/* The calling thread's cache, made if need be; NULL where it can't have one. */
toft_cache *toft_thread_cache(toft_pool *pool);
/* Puts what no object needs, of any thread's, into the depots and spans. */
void toft_caches_reclaim(toft_pool *pool);
/* A step of decay, for the calling thread's cache and those of threads that did nothing since. */
void toft_caches_decay(toft_pool *pool, unsigned halvings);
/* Leaves a thread's cache of the pool to others; it is the calling thread, which ends. */
void toft_caches_leave(toft_pool *pool, const toft_thread *thread);
/* The parts of a fork: see toft_listener. */
bool toft_caches_steal(toft_pool *pool);
void toft_caches_end_stealing(toft_pool *pool);
void toft_caches_in_child(toft_pool *pool, bool stolen);
/* When the library is unloaded: puts all that caches hold into spans. */
void toft_caches_unload(toft_pool *pool);

/* --- watched.c: instead of all caches, while a tool watches --- */
void *toft_watched_take(toft_pool *pool, unsigned size_class, size_t size);
void toft_watched_give(toft_pool *pool, void *object, unsigned size_class, size_t size);
/* Puts everything in quarantine back into spans. */
void toft_quarantine_empty(toft_pool *pool);
/* How many slots of the class are in quarantine; pool.lock is held. */
size_t toft_quarantine_count(const toft_pool *pool, unsigned size_class);

/* --- decay.c --- */
/* Gives back what has been idle for a while. To be called now and then, with no lock held; it looks
   at the clock, and does something twice a second at most. */
void toft_pool_decay(toft_pool *pool);

/* --- large.c --- */
/* Gives back the large objects kept for reuse. */
void toft_large_trim(toft_pool *pool);
void toft_large_destroy(toft_pool *pool);

/* --- pool.c --- */
/* Prints what rule of which pool was broken, and aborts. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((noreturn))
#endif
void toft_pool_misuse(const toft_pool *pool, const void *object, const char *message);

#endif
