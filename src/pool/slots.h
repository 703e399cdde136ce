/* SPDX-License-Identifier: MIT */
/* Slots on their way between spans and whoever needs them. */
#ifndef TOFT_POOL_SLOTS_H
#define TOFT_POOL_SLOTS_H

#include "pool/pool.h"

static inline void toft_depot_lock(toft_pool *pool, unsigned size_class) {
    toft_lock(&pool->depot_locks[size_class % TOFT_POOL_DEPOT_LOCKS]);
}
static inline void toft_depot_unlock(toft_pool *pool, unsigned size_class) {
    toft_unlock(&pool->depot_locks[size_class % TOFT_POOL_DEPOT_LOCKS]);
}

/* --- the depot's lock is held --- */

/* Gives up the span that toft_slots_take has made the bin's own. */
void toft_slots_disown(toft_pool *pool, toft_bin *bin);
/* Puts the slots of a magazine, from *top down, back into their spans. */
void toft_slots_give(toft_pool *pool, void **top, unsigned size_class);

/* --- no depot's lock is held --- */

/* Puts up to count free slots into the magazine above base, the lowest address on top. Returns how
   many; 0 when out of memory, or when the heap would have to grow and may not. Where own isn't
   NULL, they are from a span that no other cache takes from: the bin's objects are then neighbours,
   and share neither cache lines nor pages with those of other threads. */
unsigned toft_slots_take(toft_pool *pool, unsigned size_class, toft_bin *own, unsigned count,
                         void **base, toft_growth growth);
/* Takes one slot; NULL when out of memory. */
void *toft_slot_take(toft_pool *pool, unsigned size_class);
void toft_slot_give(toft_pool *pool, void *slot, unsigned size_class);
/* The same for the pool's own records, which statistics don't count. */
void *toft_record_take(toft_pool *pool, unsigned size_class);
void toft_record_give(toft_pool *pool, void *record, unsigned size_class);

#endif
