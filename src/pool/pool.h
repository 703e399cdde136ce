/* SPDX-License-Identifier: MIT */
/* The inside of a pool, and which lock guards what.
 *
 *     registry  >  pool.lock  >  one of pool.depot_locks  >  large.lock  >  heap.lock
 *
 * A thread that holds a lock takes only those to its right; a fork takes all of them, in this
 * order. Nothing here is lock-free: a lock is taken once for a magazine's worth of objects. */
#ifndef TOFT_POOL_POOL_H
#define TOFT_POOL_POOL_H

#include "os/os.h"
#include "pool/large.h"
#include "pool/magazine.h"
#include "pool/span.h"

/* How much memory may wait for reuse: in the caches of all threads beyond a few magazines for each
   class, in the depots, in units that no span uses, in large objects. */
#define TOFT_POOL_SPARE_BYTES ((size_t)32 << 20)
#define TOFT_POOL_ALLOWANCE_BYTES ((size_t)1 << 20) /* of the former, for each cache */
#define TOFT_POOL_DEPOT_BYTES ((size_t)16 << 20)
#define TOFT_POOL_IDLE_BYTES ((size_t)16 << 20)
#define TOFT_POOL_LARGE_BYTES ((size_t)16 << 20)

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
    uint16_t full_max; /* more go to the depot */
    uint16_t full_low; /* the least that full_count has been since the bin was last tidied */
    uint16_t spilled;  /* how many did, since the last that came from there */
    uint16_t refill;   /* slots to take from spans at once; doubles */
} toft_bin;

/* The whole of a thread's cache. */
typedef struct toft_cache {
    toft_pool_cache fast;
    toft_bin bins[TOFT_POOL_CLASSES];
    unsigned exchanges;     /* of magazines, so far */
    size_t allowance_bytes; /* that its bins may still claim unasked */
    uint64_t owner;         /* the thread's number, or 0: an orphan */
    struct toft_cache *next;
} toft_cache;

/* Written by its owner alone; toft_pool_get_stats reads it meanwhile. */
static inline unsigned toft_bin_full_count(const toft_bin *bin) {
    return __atomic_load_n(&bin->full_count, __ATOMIC_RELAXED);
}
static inline void toft_bin_set_full_count(toft_bin *bin, unsigned count) {
    __atomic_store_n(&bin->full_count, (uint16_t)count, __ATOMIC_RELAXED);
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
    size_t dirty_units;
    size_t free_units;
} toft_heap;

struct toft_pool {
    uint64_t id;
    toft_pool_cache
        none; /* what a thread without a cache points to: every operation on it is slow */
    const char *name;
    toft_os_mutex lock; /* of the next three */
    toft_cache *caches; /* of threads, and orphans */
    unsigned orphans;
    toft_cache common;  /* for threads that can't have one of their own */
    size_t spare_bytes; /* of TOFT_POOL_SPARE_BYTES, claimed by bins; atomic */
    size_t depot_bytes; /* in full magazines of all depots; atomic */
    unsigned victim;    /* the depot to be drained next; atomic */
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
void toft_heap_destroy(toft_pool *pool);
/* Memory from the upstream, counted; NULL for a limit too. The heap's lock must be held. */
void *toft_heap_map(toft_pool *pool, size_t bytes, size_t alignment);
void toft_heap_unmap(toft_pool *pool, void *memory, size_t bytes, size_t alignment);

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

/* --- cache.c --- */
void toft_cache_init(toft_cache *cache, toft_pool *pool);
/* Hands full magazines to the depots, but for those in use: its thread exits. */
void toft_cache_retire(toft_cache *cache);
/* Undoes that: another thread takes it over. */
void toft_cache_adopt(toft_cache *cache);
/* Gives everything that a cache holds back to the spans. */
void toft_cache_empty(toft_cache *cache);
void *toft_cache_take(toft_cache *cache, unsigned size_class);
void toft_cache_give(toft_cache *cache, void *object, unsigned size_class);

/* --- thread.c --- */
/* The calling thread's cache, made if need be; NULL where it can't have one. */
toft_cache *toft_thread_cache(toft_pool *pool);
/* The calling thread's cache, or NULL. */
toft_cache *toft_thread_find_cache(toft_pool *pool);
/* Puts everything that belongs to no running thread back into spans. */
void toft_drop_orphans(toft_pool *pool);

/* --- large.c --- */
/* Gives back the large objects kept for reuse. */
void toft_large_trim(toft_pool *pool);
void toft_large_destroy(toft_pool *pool);

#endif
