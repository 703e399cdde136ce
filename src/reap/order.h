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
    size_t bundles; /* in all */
    bool eager;     /* lists become holes at once, */
    bool falling;   /* and what is freed, while nothing is allocated */
    bool added;     /* to the holes since the search began */
    bool gathered;  /* the search is for slots of any size */
    unsigned char run_doubled[TOFT_REAP_CLASSES]; /* so often */
    toft_reap_slot *bundle[TOFT_REAP_CLASSES];
};

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

/* A free slot becomes a hole in the map of its memory; without one it goes to its list. */
static inline void toft_reap_make_hole(toft_reap *reap, toft_hole_map *map, void *object,
                                       unsigned size_class) {
    if (TOFT_UNLIKELY(map == NULL)) {
        toft_reap_set_next(object, reap->free[size_class]);
        reap->free[size_class] = object;
        return;
    }
    size_t bytes = toft_reap_slot_bytes(size_class);
    bool was_used = TOFT_LIKELY(bytes <= TOFT_HOLES_ADD_MAX_BYTES)
                        ? toft_holes_add(map, (uintptr_t)object, bytes)
                        : toft_holes_add_any(map, (uintptr_t)object, bytes);
    if (TOFT_UNLIKELY(!was_used))
        toft_misuse(object, "freed to a reap twice, or with another size");
}

/* Frees a slot, which has been counted as freed, as one of many: where it lies, without a touch, or
   to its list. False where that isn't all there is to do. */
static inline bool toft_reap_free_falling(toft_reap *reap, void *object, unsigned size_class) {
    toft_reap_order *order = reap->order;
    if (order == NULL || !order->falling) return false;
    if (reap->freed <= reap->allocated || reap->floor <= 1) return false;
    toft_hole_map *map = NULL;
    if (TOFT_LIKELY(toft_reap_is_ordered(size_class)))
        map = toft_holes_find(&order->holes, (uintptr_t)object);
    if (TOFT_UNLIKELY(map == NULL) && object == (void *)reap->free[size_class]) return false;
    toft_reap_make_hole(reap, map, object, size_class);
    order->added = true;
    toft_reap_set_floor(reap, reap->floor - 1);
    return true;
}

/* To be called now and then while objects are allocated: a free goes out of line when there are so
   many fewer again. */
void toft_reap_raise_floor(toft_reap *reap);

/* How far the inlined path may go in the arena's chunk. To be called when a savepoint was taken or
   has ended, and when new memory was. */
void toft_reap_settle_end(toft_reap *reap);

/* What is free in bundles and holes. */
size_t toft_reap_ordered_bytes(const toft_reap *reap);

#endif
