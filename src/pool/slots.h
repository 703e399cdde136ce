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

/* Adds a new span to the class's, so that it is the next to be taken from; NULL is none. */
void toft_slots_add_span(toft_pool *pool, toft_span *span);
/* Puts up to count free slots into the magazine above base, the lowest address on top. Returns how
   many; fewer where the class's spans have no more: see toft_slots_add_span. */
unsigned toft_slots_take(toft_pool *pool, unsigned size_class, unsigned count, void **base);
/* Takes up to bin->refill slots from a span that no other cache takes from: the bin's objects are
   then neighbours, and share neither cache lines nor pages with those of other threads. */
unsigned toft_slots_take_own(toft_pool *pool, unsigned size_class, toft_bin *bin, void **base);
/* Gives up the span that toft_slots_take_own has made the bin's own. */
void toft_slots_disown(toft_pool *pool, toft_bin *bin);
/* Puts the slots of a magazine, from *top down, back into their spans. */
void toft_slots_give(toft_pool *pool, void **top, unsigned size_class);

/* --- no depot's lock is held --- */

/* A span of free slots from the heap, for whom toft_slots_take gave too few; NULL when out of
   memory, or when the heap would have to grow and may not. Who gets it adds it to the class's, and
   takes some of it before the depot is unlocked: a span that nobody has taken from would stay. A
   process that is forked meanwhile may lose it. */
toft_span *toft_slots_new_span(toft_pool *pool, unsigned size_class, bool may_grow);
/* Takes one slot; NULL when out of memory. */
void *toft_slot_take(toft_pool *pool, unsigned size_class);
void toft_slot_give(toft_pool *pool, void *slot, unsigned size_class);
/* The same for the pool's own records, which statistics don't count. */
void *toft_record_take(toft_pool *pool, unsigned size_class);
void toft_record_give(toft_pool *pool, void *record, unsigned size_class);

#endif
