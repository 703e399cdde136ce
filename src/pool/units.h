/* SPDX-License-Identifier: MIT */
/* The units of a heap's segments: which are free, how long a span fits there, and which are dirty.
 * The heap's lock must be held. */
#ifndef TOFT_POOL_UNITS_H
#define TOFT_POOL_UNITS_H

#include "pool/heap.h"

/* Every unit of a segment, as a mask; other masks have a bit for each unit, too. */
#define TOFT_UNITS_ALL ((1U << TOFT_SEGMENT_UNITS) - 1)

static inline unsigned toft_units_mask(unsigned first, unsigned units) {
    return ((1U << units) - 1) << first;
}

static inline toft_segment *toft_block_segment(toft_block *block, unsigned index) {
    return (toft_segment *)(void *)((char *)toft_segment_of(block) + index * TOFT_SEGMENT_BYTES);
}

/* The first of a run of free units, or -1. Longer runs start where a whole number of them fits
   behind unit 0, which is short of its segment's header and serves single ones only: their slots
   need no stronger alignment than the header's size gives them. */
int toft_units_find_run(unsigned free_units, unsigned units);

/* The length of the longest span that fits: 5, 3, 1, or 0 for none. Where a longer one fits, a
   shorter one does, too. */
unsigned toft_units_longest(unsigned free_units);

/* A segment with room for a span; one without room for a longer span comes first, so that long runs
   stay. NULL where there is none. */
toft_segment *toft_units_segment_with_room(const toft_heap *heap, unsigned units);

/* Others read it without the lock, as a hint. */
static inline void toft_units_set_dirty(toft_heap *heap, size_t units) {
    __atomic_store_n(&heap->dirty_units, units, __ATOMIC_RELAXED);
}

/* So many fewer are idle. The least that were since the last step of decay is all that the next one
   gives back. */
static inline void toft_units_lose_dirty(toft_heap *heap, unsigned units) {
    toft_units_set_dirty(heap, heap->dirty_units - units);
    heap->dirty_low_units = toft_min(heap->dirty_low_units, heap->dirty_units);
}

/* Which units of a segment are free, all in all. */
void toft_units_set_free(toft_heap *heap, toft_segment *segment, unsigned free_units);

/* Takes free units out. Returns how many of them were dirty. */
unsigned toft_units_take_out(toft_heap *heap, toft_segment *segment, unsigned mask);

/* The reverse; they are clean. */
void toft_units_put_in(toft_heap *heap, toft_segment *segment, unsigned mask);

/* The counts of a segment, its block and the heap agree. */
bool toft_units_are_sound(const toft_heap *heap, const toft_segment *segment);

#endif
