/* SPDX-License-Identifier: MIT */
/* What the parts of the reap's slow path share. */
#ifndef TOFT_REAP_REAP_H
#define TOFT_REAP_REAP_H

#include <toft/reap.h>

#include "arena/arena.h"

/* Lies in front of its object, behind the header of its block. */
struct toft_reap_large {
    toft_chunk *block;      /* NULL: it lies in the first buffer */
    toft_reap_large *next;  /* older, since the same savepoint */
    toft_reap_large **link; /* the pointer that points here */
    size_t size;            /* of the object */
};

/* Lies in a slot of the reap, before its own point. What it keeps is that of the time before it:
   the reap has what came since. */
struct toft_reap_savepoint {
    toft_savepoint point;
    ptrdiff_t live;             /* the reap's objects in slots, once the savepoint has ended */
    toft_reap_savepoint *outer; /* the next older that stands */
    toft_reap_large *large;
    toft_reap_slot *free[TOFT_REAP_CLASSES];
};

/* The lists of slots that lie behind the newest savepoint. While a tool tracks memory they are kept
   from the inlined path. */
static inline toft_reap_slot **toft_reap_lists(toft_reap *reap) {
    return toft_tracking() ? reap->tracked_free : reap->free;
}

/* What they take of the arena then: rounded, so that a slot behind them needs no padding. */
#define TOFT_REAP_TRACKED_BYTES                                                                    \
    toft_align_up(TOFT_REAP_CLASSES * sizeof(toft_reap_slot *), TOFT_CHUNK_ALIGNMENT)

/* The largest class whose slots take no more than so many bytes, at least 8, of those that have no
   strong alignment. */
static inline unsigned toft_reap_class_within(size_t bytes) {
    unsigned size_class = toft_reap_class(toft_min(bytes, TOFT_REAP_SLOT_MAX), 8);
    return toft_reap_slot_bytes(size_class) > bytes ? size_class - 1 : size_class;
}

/* A free slot's link, poisoned or not. */
static inline toft_reap_slot *toft_reap_read_next(const void *slot) {
    if (!toft_tracking()) return toft_reap_next(slot);
    toft_track_readable(slot, sizeof(toft_reap_slot *));
    toft_reap_slot *next = toft_reap_next(slot);
    toft_track_free(slot, sizeof(toft_reap_slot *));
    return next;
}

static inline void toft_reap_write_next(void *slot, toft_reap_slot *next) {
    bool tracking = toft_tracking();
    if (tracking) toft_track_readable(slot, sizeof next);
    toft_reap_set_next(slot, next);
    if (tracking) toft_track_free(slot, sizeof next);
}

/* While a tool tracks memory, an object's size stands among the poisoned bytes in front of it. A
   program may poison bytes of its own object, so that these tell nothing of the size. */
static inline size_t *toft_reap_tracked_size(void *object) {
    return (size_t *)(void *)((char *)object - TOFT_REDZONE_BYTES);
}

/* Behind the size: its reap's first chunk, which goes along where a reap is moved. */
static inline size_t *toft_reap_tracked_owner(void *object) {
    return toft_reap_tracked_size(object) + 1;
}
static_assert(2 * sizeof(size_t) <= TOFT_REDZONE_BYTES, "an object would overlap its owner");

/* What more than one file says of a broken rule. */
#define TOFT_REAP_ANOTHERS "freed to a reap that it is not of"
#define TOFT_REAP_WRONG_SIZE                                                                       \
    "freed to a reap with another size or alignment than it was allocated with"
#define TOFT_REAP_TWICE_OR_WRONG_SIZE                                                              \
    "freed to a reap twice, or with another size, or never allocated"

/* No free is inlined from now on, or all are. */
static inline void toft_reap_set_closed(toft_reap *reap, bool closed) {
    if (closed != reap->closed) reap->allocated += closed ? -TOFT_REAP_CLOSED : TOFT_REAP_CLOSED;
    reap->closed = closed;
}

static inline ptrdiff_t toft_reap_live(const toft_reap *reap) {
    return reap->allocated - reap->freed + (reap->closed ? TOFT_REAP_CLOSED : 0) + reap->floor;
}

static inline void toft_reap_set_live(toft_reap *reap, ptrdiff_t live) {
    reap->freed = 0;
    reap->allocated = live - (reap->closed ? TOFT_REAP_CLOSED : 0) - reap->floor;
}

static inline void toft_reap_set_floor(toft_reap *reap, ptrdiff_t floor) {
    reap->allocated += reap->floor - floor;
    reap->floor = floor;
}

/* No slot is known any more, live or free: the arena's reset or release goes with it. */
static inline void toft_reap_forget_slots(toft_reap *reap) {
    memset(reap->free, 0, sizeof reap->free);
    reap->order = NULL;
    reap->floor = 0;
    reap->gather_at_bytes = 0;
    toft_reap_set_live(reap, 0);
}

/* What is true of every reap between two calls. */
static inline bool toft_reap_is_sound(const toft_reap *reap) {
    bool books_closed = reap->allocated < -(TOFT_REAP_CLOSED / 2);
    return toft_arena_is_sound(&reap->arena) && reap->closed == books_closed &&
           (reap->savepoint == NULL || reap->closed) && toft_reap_live(reap) >= 0 &&
           (reap->large == NULL || reap->large->link == &reap->large);
}

/* To be called before memory is freed otherwise than into a list. */
void toft_reap_note_high_water(toft_reap *reap);

/* To be called when an object was freed: all that was allocated may have been. */
void toft_reap_renew_if_empty(toft_reap *reap);

/* While a tool tracks memory: has its lists, or gets them. False when out of memory. */
bool toft_reap_has_tracked_lists(toft_reap *reap);

/* Adds a slot, poisoned already where a tool tracks memory, to the lists that it belongs to. */
void toft_reap_put(toft_reap *reap, void *slot, unsigned size_class);

/* Objects that no slot is large enough for. */
void *toft_reap_alloc_large(toft_reap *reap, size_t size, size_t alignment);
/* Gives one another size where it is. False where that can't be done, and nothing has changed. */
bool toft_reap_resize_large(toft_reap *reap, void *object, size_t old_size, size_t new_size,
                            size_t alignment);
/* Frees all since the newest savepoint. */
void toft_reap_drop_large(toft_reap *reap);
/* Moves the list *from to the front of *to. */
void toft_reap_move_large(toft_reap_large **to, toft_reap_large **from);

#endif
