/* SPDX-License-Identifier: MIT */
/* The depot of a class: where the threads of a pool get its slots from, and leave them: as full
   magazines in the pool's shards, and one by one in spans. */
#ifndef TOFT_POOL_DEPOT_H
#define TOFT_POOL_DEPOT_H

#include "pool/cache.h"
#include "pool/heap.h"
#include "pool/shard.h"

/* The spans of a class; guarded by pool.depot_locks[class % TOFT_POOL_DEPOT_LOCKS].
   Few locks for many classes: a fork may have to hold those of all pools, and ThreadSanitizer bears
   no more than 64. */
#if defined(TOFT_THREAD_SANITIZER)
    #define TOFT_POOL_DEPOT_LOCKS 2U
#else
    #define TOFT_POOL_DEPOT_LOCKS 8U
#endif
typedef struct toft_depot {
    toft_span *spans;      /* with free slots */
    toft_span_shape shape; /* of the class's spans */
    /* From all spans: in objects, magazines and our own records. Both are read without the lock. */
    size_t taken_slots;
    size_t internal_slots; /* those of taken_slots that are magazines and caches */
} toft_depot;

/* Exchanges an empty magazine of a cache's for a full one, or puts fresh slots into it, up to as
   many as the bin's refill says. Returns the top of what the cache has now: that of an empty
   magazine when out of memory, or when the heap would have to grow and may not. */
void **toft_depot_refill(toft_pool *pool, toft_cache *cache, toft_magazine *empty,
                         unsigned size_class, toft_growth growth);
/* Takes the bin's span back. */
void toft_depot_disown(toft_pool *pool, unsigned size_class, toft_bin *bin);
/* Takes a full magazine. Returns an empty one if there is one at hand, or NULL. */
toft_magazine *toft_depot_spill(toft_pool *pool, unsigned shard, toft_magazine *full,
                                unsigned size_class);
/* An empty magazine, or NULL when out of memory. */
toft_magazine *toft_depot_take_empty(toft_pool *pool, unsigned shard, unsigned size_class);
void toft_depot_give_empty(toft_pool *pool, unsigned shard, toft_magazine *empty,
                           unsigned size_class);
/* Puts the slots in a magazine, from *top down, back into their spans. */
void toft_depot_give_slots(toft_pool *pool, void **top, unsigned size_class);
/* In slots that are out of their spans, of all classes. Takes no lock: an estimate. */
size_t toft_depots_taken_bytes(const toft_pool *pool);
/* How many slots of a class are out of their spans, in objects and elsewhere, and how many of them
   lie in the depot's magazines. */
size_t toft_depot_count(toft_pool *pool, unsigned size_class, size_t *cached_slots);
/* Puts the slots of a shard's full magazines back into their spans. */
void toft_depot_gather(toft_pool *pool, unsigned shard);
/* Puts all slots that the depots hold back into their spans. The pool's lock is free. */
void toft_depot_trim(toft_pool *pool);
/* The same for what has lain there since the last step of decay: half of it for each halving. The
   pool's lock is free. */
void toft_depot_decay(toft_pool *pool, unsigned halvings);

#endif
