/* SPDX-License-Identifier: MIT */
#include "pool/units.h"

#include "base/check.h"
#include "base/list.h"

int toft_units_find_run(unsigned free_units, unsigned units) {
    unsigned runs = free_units;
    for (unsigned i = 1; i < units; i++) runs &= free_units >> i;
    if (units == 3) runs &= 1U << 1 | 1U << 4 | 1U << 7 | 1U << 10 | 1U << 13;
    if (units == 5) runs &= 1U << 1 | 1U << 6 | 1U << 11;
    return runs == 0 ? -1 : __builtin_ctz(runs);
}

static_assert(TOFT_UNIT_BYTES / 4 <= TOFT_SEGMENT_HEADER_BYTES,
              "at least four slots fit in a unit, so that none is larger than the header");

unsigned toft_units_longest(unsigned free_units) {
    for (unsigned units = TOFT_SPAN_UNITS_MAX;; units -= 2) {
        if (toft_units_find_run(free_units, units) >= 0) return units;
        if (units == 1) return 0;
    }
}

/* The list of the segments where a span of so many units fits, but no longer one. */
static toft_segment **list_for(toft_heap *heap, unsigned free_units) {
    unsigned longest = toft_units_longest(free_units);
    return longest == 0 ? NULL : &heap->segments[longest / 2];
}

void toft_units_set_free(toft_heap *heap, toft_segment *segment, unsigned free_units) {
    toft_segment **before = list_for(heap, segment->free_units);
    toft_segment **now = list_for(heap, free_units);
    segment->free_units = (uint16_t)free_units;
    if (now == before) return;
    if (before != NULL) TOFT_LIST_REMOVE(*before, segment);
    if (now != NULL) TOFT_LIST_PUSH(*now, segment);
}

toft_segment *toft_units_segment_with_room(const toft_heap *heap, unsigned units) {
    toft_segment *segment = NULL;
    for (; segment == NULL && units <= TOFT_SPAN_UNITS_MAX; units += 2)
        segment = heap->segments[units / 2];
    return segment;
}

unsigned toft_units_take_out(toft_heap *heap, toft_segment *segment, unsigned mask) {
    toft_block *block = segment->block;
    unsigned units = (unsigned)__builtin_popcount(mask);
    unsigned dirty_units = (unsigned)__builtin_popcount(segment->dirty_units & mask);
    toft_units_set_free(heap, segment, segment->free_units & ~mask);
    segment->dirty_units = (uint16_t)(segment->dirty_units & ~mask);
    if (block->used_units == 0) {
        TOFT_LIST_REMOVE(heap->unused_blocks, block);
        TOFT_LIST_PUSH(heap->blocks, block);
    }
    block->used_units += units;
    heap->free_units -= units;
    toft_units_lose_dirty(heap, dirty_units);
    return dirty_units;
}

void toft_units_put_in(toft_heap *heap, toft_segment *segment, unsigned mask) {
    toft_block *block = segment->block;
    unsigned units = (unsigned)__builtin_popcount(mask);
    TOFT_ASSERT((segment->free_units & mask) == 0 && block->used_units >= units);
    toft_units_set_free(heap, segment, segment->free_units | mask);
    heap->free_units += units;
    block->used_units -= units;
    if (block->used_units == 0) {
        if (heap->sweep_next == block) heap->sweep_next = block->next;
        TOFT_LIST_REMOVE(heap->blocks, block);
        TOFT_LIST_PUSH(heap->unused_blocks, block);
    }
}

bool toft_units_are_sound(const toft_heap *heap, const toft_segment *segment) {
    const toft_block *block = segment->block;
    return (segment->dirty_units & ~segment->free_units) == 0 &&
           block->used_units <= block->segments * TOFT_SEGMENT_UNITS &&
           heap->dirty_units <= heap->free_units &&
           heap->free_units * TOFT_UNIT_BYTES <= heap->block_bytes &&
           heap->block_bytes <= heap->reserved_bytes &&
           heap->reserved_bytes <= heap->high_water_bytes;
}
