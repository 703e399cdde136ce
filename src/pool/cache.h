/* SPDX-License-Identifier: MIT */
/* A thread's cache of a pool, beyond the magazines in use. */
#ifndef TOFT_POOL_CACHE_H
#define TOFT_POOL_CACHE_H

#include "pool/large.h"
#include "pool/magazine.h"
#include "pool/span.h"
#include "process/thread.h"

/* The most fresh slots that a bin takes at once. */
#define TOFT_REFILL_MAX 48U

/* What a linear congruential generator multiplies by (D. Knuth, The Art of Computer Programming 2,
   3.3.4). */
#define TOFT_RANDOM_FACTOR UINT32_C(1664525)

/* A cache's magazines of one class besides the one in use. */
typedef struct toft_bin {
    toft_magazine *full;
    toft_magazine *empty;
    toft_span *span; /* its own source of fresh slots, or NULL; guarded by the depot's lock */
    uint16_t full_count;
    uint16_t full_low;     /* the least that full_count has been since the last step of decay */
    uint8_t borrowed;      /* slots of another class that it took before it had any of its own */
    uint8_t refill;        /* slots that it took from spans at once; doubles */
    uint8_t found_in;      /* the shard where the last full magazine of others was */
    uint8_t probes;        /* at how many shards more to look when that one has none */
    uint64_t units_lately; /* a bit for each unit whose slots were handed out lately, mod 64 */
} toft_bin;

/* A cache's free runs for large objects, by their class: see cache_runs.h. To fill a longer one
   costs more than the store's lock. */
#define TOFT_CACHED_RUN_MAX_BYTES ((size_t)256 << 10)
#define TOFT_CACHED_RUN_CLASSES 24U
typedef struct toft_cached_runs {
    struct toft_large *lists[TOFT_CACHED_RUN_CLASSES];
    size_t bytes;
} toft_cached_runs;

/* The whole of a thread's cache. The magazines in use are the owner's alone, also while others have
   stolen the rest. */
typedef struct toft_cache {
    toft_pool_cache fast;
    uint32_t random;   /* picks shards to look at; guarded by the lock, as are the ten below */
    uint8_t shard;     /* where it leaves magazines */
    uint8_t exchanged; /* the class that was exchanged last */
    toft_owned_lock lock;
    toft_bin bins[TOFT_POOL_CLASSES];
    toft_cached_runs runs;
    size_t full_bytes;        /* the slots in full magazines, and the runs */
    size_t claimed_bytes;     /* how many they may have; a part of pool.claimed_bytes */
    size_t taken_bytes;       /* the slots that it took from spans and others, less those given */
    size_t most_taken_bytes;  /* the most of these lately */
    size_t most_fallen_bytes; /* the most by which live objects were less than that, lately */
    uint16_t exchanges;       /* how many magazines and runs were exchanged so far, mod 65536 */
    uint16_t gathered_at;     /* how many there were when it last gathered its slots */
    uint16_t exchanges_then;  /* at the last step of decay; guarded by pool.lock */
    uint16_t looked_at_ms;    /* when it last looked at the clock, while it looks often */
    uint16_t busy_at_ms;      /* when it had many calls for the watched class */
    uint8_t watched;          /* a class plus one, or 0: see watch.h */
    uint8_t watched_calls;    /* for it, in this tick of the clock */
    bool is_spent;            /* whether all was taken from it since its last exchange */
    toft_thread *owner;       /* NULL: an orphan */
    struct toft_cache *prev, *next;
    struct toft_cache *next_owned;  /* of its owner's: see links.h */
    struct toft_cache **owned_link; /* the pointer there that points here; NULL for an orphan */
} toft_cache;

/* Written under the cache's lock; others read it meanwhile. */
static inline unsigned toft_bin_full_count(const toft_bin *bin) {
    return __atomic_load_n(&bin->full_count, __ATOMIC_RELAXED);
}
static inline void toft_bin_set_full_count(toft_bin *bin, unsigned count) {
    __atomic_store_n(&bin->full_count, (uint16_t)count, __ATOMIC_RELAXED);
}

static inline uint16_t toft_cache_exchanges(const toft_cache *cache) {
    return __atomic_load_n(&cache->exchanges, __ATOMIC_RELAXED);
}

/* What a step of decay found nothing in, or left nothing in. */
static inline bool toft_cache_is_spent(const toft_cache *cache) {
    return __atomic_load_n(&cache->is_spent, __ATOMIC_RELAXED);
}
static inline void toft_cache_set_spent(toft_cache *cache, bool is_spent) {
    __atomic_store_n(&cache->is_spent, is_spent, __ATOMIC_RELAXED);
}

/* Other threads see by the number whether the cache is used. */
static inline void toft_cache_count_exchange(toft_cache *cache) {
    toft_cache_set_spent(cache, false);
    __atomic_store_n(&cache->exchanges, (uint16_t)(cache->exchanges + 1), __ATOMIC_RELAXED);
}

/* Other threads read it, to see which cache keeps something. */
static inline void toft_cache_set_full_bytes(toft_cache *cache, size_t bytes) {
    __atomic_store_n(&cache->full_bytes, bytes, __ATOMIC_RELAXED);
}
static inline size_t toft_cache_full_bytes(const toft_cache *cache) {
    return __atomic_load_n(&cache->full_bytes, __ATOMIC_RELAXED);
}

/* How many objects of a class a cache makes of another's slots, before it takes that class's; and
   the slots of which few share a page, so that they aren't lent. */
#define TOFT_BORROWED_MAX 8U
#define TOFT_LENT_MAX ((size_t)2048)

/* The class that lends: of the next power of two, from 32 bytes on. The class itself where none
   does. */
static inline unsigned toft_lender_of(unsigned size_class) {
    const size_t least_bytes = 32;
    size_t bytes = toft_slot_bytes(size_class);
    if (bytes > TOFT_LENT_MAX) return size_class;
    return toft_pool_class_of_rounded(toft_max(least_bytes, (size_t)1 << toft_log2_ceil(bytes)));
}

static inline unsigned toft_cache_class(void) {
    return toft_pool_class_of_rounded(sizeof(toft_cache));
}

/* The caller of these is inside the cache's lock, or holds the lock of the pool whose common or
   orphaned cache it is. */

void toft_cache_init(toft_cache *cache, toft_pool *pool);
/* Whether the cache may keep so many bytes more. */
bool toft_cache_may_keep(toft_cache *cache, size_t bytes);
/* Hands everything but the magazines in use to the depots. */
void toft_cache_retire(toft_cache *cache);
/* Forgets how much its thread had, which ends: the next one has nothing yet. */
void toft_cache_forget_taken(toft_cache *cache);
/* Hands to the depots what was not used since the last step of decay: half of it for each
   halving. */
void toft_cache_decay(toft_cache *cache, unsigned halvings);
/* Gives everything that a cache holds back to the spans; for its own thread, and orphans. */
void toft_cache_empty(toft_cache *cache);
/* The same for one class. */
void toft_cache_drop(toft_cache *cache, unsigned size_class);
/* Forgets the magazines in use, whose state isn't known. */
void toft_cache_abandon(toft_cache *cache);
/* Takes a slot where the magazine in use has none. */
void *toft_cache_take(toft_cache *cache, unsigned size_class);
static inline void *toft_cache_pop(toft_cache *cache, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class);
    void *object = *top;
    if (object == NULL) return toft_cache_take(cache, size_class);
    toft_pool_set_top(&cache->fast, size_class, top - 1);
    return object;
}
/* A slot of a larger class for one of the first objects of a class, which nobody may free by its
   size; NULL for the others. The class has no magazine yet. Each class that is used costs page
   faults of its own, and most programs have a few objects of many classes: a short one saves a
   third of its faults so. */
void *toft_cache_borrow(toft_cache *cache, unsigned size_class);
void toft_cache_give(toft_cache *cache, void *object, unsigned size_class);

#endif
