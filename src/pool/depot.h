/* SPDX-License-Identifier: MIT */
/* The depot of a class: what the threads of a pool share of it. */
#ifndef TOFT_POOL_DEPOT_H
#define TOFT_POOL_DEPOT_H

#include "os/os.h"
#include "pool/magazine.h"
#include "pool/span.h"

struct toft_bin;

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
    toft_span_shape shape; /* of the class's spans */
    size_t taken_slots;    /* from all spans: in objects, magazines and our own records */
    size_t internal_slots; /* those of taken_slots that are magazines and caches */
} toft_depot;

/* Exchanges an empty magazine of the bin's for a full one, or puts up to bin->refill fresh slots
   into it. Returns the top of what the bin has now: of an empty magazine when out of memory. */
void **toft_depot_refill(toft_pool *pool, toft_magazine *empty, unsigned size_class,
                         struct toft_bin *bin);
/* Takes the bin's span back. */
void toft_depot_disown(toft_pool *pool, unsigned size_class, struct toft_bin *bin);
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
/* The same for what has lain there since the last step of decay: half of it for each halving. */
void toft_depot_decay(toft_pool *pool, unsigned halvings);

#endif
