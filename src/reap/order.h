/* SPDX-License-Identifier: MIT */
/* Reuse in the order of memory: what a large reap does with many freed slots. See order.c. */
#ifndef TOFT_REAP_ORDER_H
#define TOFT_REAP_ORDER_H

#include "reap/holes.h"
#include "reap/reap.h"

/* A smaller slot can't hold a bundle's two links; in a larger one an object is a row by itself. */
#define TOFT_REAP_ORDERED_MIN (2 * sizeof(toft_reap_slot *))
#define TOFT_REAP_ORDERED_MAX TOFT_HOLES_ADD_MAX_BYTES

struct toft_reap_order {
    toft_holes holes;
    size_t bundles;                               /* in all */
    bool eager;                                   /* lists become holes at once */
    bool added;                                   /* to the holes since the search began */
    bool gathered;                                /* the search is for slots of any size */
    unsigned char run_doubled[TOFT_REAP_CLASSES]; /* so often */
    toft_reap_slot *bundle[TOFT_REAP_CLASSES];
    /* see full.c: */
    bool full;
    uint64_t listed;                   /* a bit for each list that may have a hole */
    uintptr_t hole[TOFT_REAP_CLASSES]; /* the first of each list */
};
static_assert(TOFT_REAP_CLASSES <= 64, "each list has a bit");

static inline bool toft_reap_is_ordered(unsigned size_class) {
    size_t bytes = toft_reap_slot_bytes(size_class);
    return bytes - TOFT_REAP_ORDERED_MIN <= TOFT_REAP_ORDERED_MAX - TOFT_REAP_ORDERED_MIN;
}

/* A slot of a class whose list is empty, which is then filled; NULL where there is none but new
   memory. */
void *toft_reap_take_in_order(toft_reap *reap, unsigned size_class);

/* The same before a large reap uses new memory: freed slots of all classes serve, if they are
   many. NULL where they aren't, or it isn't the time to look. */
void *toft_reap_take_gathered(toft_reap *reap, unsigned size_class);

/* Many more objects have been freed than allocated: their lists are put aside. */
void toft_reap_order_lists(toft_reap *reap);

/* To be called now and then while objects are allocated: a free goes out of line when there are so
   many fewer again. */
void toft_reap_raise_floor(toft_reap *reap);

/* How far the inlined path may go in the arena's chunk. To be called when a savepoint was taken or
   has ended, and when new memory was. */
void toft_reap_settle_end(toft_reap *reap);

/* What is free in bundles and holes. */
size_t toft_reap_ordered_bytes(const toft_reap *reap);

/* Has the books. They lie in the arena, before any savepoint. False when out of memory. */
bool toft_reap_has_order(toft_reap *reap);

/* A freed slot becomes a hole. The map of its address is returned, and must be there. */
toft_hole_map *toft_reap_make_hole(toft_reap *reap, toft_reap_slot *slot, unsigned size_class);

/* What was put aside is in the lists again. */
void toft_reap_put_bundles_back(toft_reap *reap);

/* --- full.c --- */

static inline bool toft_reap_is_full(const toft_reap *reap) {
    return reap->order != NULL && reap->order->full;
}

/* To be called when memory was taken, and when all was freed. */
void toft_reap_prepare_to_be_full(toft_reap *reap);

/* A slot where the arena has no memory for it; NULL where nothing else has either. */
void *toft_reap_take_of_full(toft_reap *reap, unsigned size_class);

#endif
