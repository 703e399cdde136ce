/* SPDX-License-Identifier: MIT */
/* What lies idle in a heap goes back to the system: blocks without a span as a whole, and what is
 * free between spans, whose addresses stay.
 *
 * The system takes milliseconds for a hundred megabytes. So a step of decay owes what is to go
 * back, and the calls after it pay that in small parts: none of them waits long. What is still
 * owed at the next step is paid there, as a program that calls seldom makes few parts. */
#include "base/decay.h"
#include "base/list.h"
#include "pool/pool.h"
#include "pool/units.h"

enum { part_units = 8 }; /* 256 KiB: some tenths of a millisecond where huge pages must be split */

/* --- whole blocks --- */

static void remove_unused_block(toft_pool *pool, toft_block *block) {
    toft_heap *heap = &pool->heap;
    for (unsigned i = 0; i < block->segments; i++) {
        toft_segment *segment = toft_block_segment(block, i);
        toft_units_set_free(heap, segment, 0);
        toft_units_lose_dirty(heap, (unsigned)__builtin_popcount(segment->dirty_units));
    }
    heap->free_units -= block->segments * TOFT_SEGMENT_UNITS;
    TOFT_LIST_REMOVE(heap->unused_blocks, block);
    if (heap->sparse == block) heap->sparse = NULL;
    heap->block_bytes -= block->bytes;
    toft_heap_unmap(pool, toft_block_segment(block, 0), block->bytes, TOFT_SEGMENT_BYTES);
}

/* Blocks without a span, until at most keep_bytes are idle; all of them for 0. What is free, but
   spends no memory, as holes that were discarded before, isn't idle. */
static void give_unused_blocks(toft_pool *pool, size_t keep_bytes) {
    toft_heap *heap = &pool->heap;
    if (!toft_heap_takes_back(heap) || !toft_heap_may_give_back(heap)) return;
    while (heap->unused_blocks != NULL &&
           (keep_bytes == 0 || toft_heap_idle_bytes(heap) > keep_bytes))
        remove_unused_block(pool, heap->unused_blocks);
}

/* --- between spans --- */

/* Physical memory of units that nobody else uses; the upstream of a user's has no such request. */
static void discard(toft_segment *segment, unsigned mask) {
    while (mask != 0) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        unsigned end = first;
        while (end < TOFT_SEGMENT_UNITS && (mask >> end & 1) != 0) end++;
        size_t skipped_bytes = first == 0 ? TOFT_SEGMENT_HEADER_BYTES : 0;
        toft_os_discard_within(toft_unit_at(segment, first) + skipped_bytes,
                               (end - first) * TOFT_UNIT_BYTES - skipped_bytes);
        mask &= ~toft_units_mask(first, end - first);
    }
}

static void count_discards(toft_heap *heap, unsigned more) {
    __atomic_store_n(&heap->discards, heap->discards + more, __ATOMIC_RELAXED);
}

/* Linux's khugepaged makes huge pages of memory for which they are preferred, however few of its
   pages are there: within minutes, all that was discarded would be back. */
static void make_ordinary(toft_block *block) {
    if (block->is_ordinary || block->bytes < TOFT_HUGE_PAGE_BYTES) return;
    block->is_ordinary = true;
    toft_os_prefer_ordinary(toft_block_segment(block, 0), block->bytes);
}

/* Takes the units out meanwhile, so that other threads needn't wait for the system; a process
   forked then loses them. Returns how many bytes. */
static size_t discard_unlocked(toft_heap *heap, toft_segment *segment) {
    unsigned mask = segment->dirty_units;
    unsigned units = toft_units_take_out(heap, segment, mask);
    make_ordinary(segment->block);
    count_discards(heap, 1);
    toft_unlock(&heap->lock);
    discard(segment, mask);
    toft_lock(&heap->lock);
    count_discards(heap, -1U);
    toft_units_put_in(heap, segment, mask);
    return units * TOFT_UNIT_BYTES;
}

/* A sweep goes over all blocks with spans, once for each length of the longest run of free units in
   a segment: long runs first, since they are needed least. */
static void begin_sweep(toft_heap *heap) {
    heap->sweep_next = heap->blocks;
    heap->sweep_longest = TOFT_SPAN_UNITS_MAX;
}

/* NULL at the sweep's end. */
static toft_block *block_to_sweep(toft_heap *heap) {
    while (heap->sweep_next == NULL && heap->sweep_longest > 1) {
        heap->sweep_next = heap->blocks;
        heap->sweep_longest -= 2;
    }
    return heap->sweep_next;
}

/* A segment of the block with idle units, or NULL. */
static toft_segment *segment_to_sweep(toft_block *block, unsigned longest) {
    if (block->used_units == block->segments * TOFT_SEGMENT_UNITS) return NULL;
    for (unsigned i = 0; i < block->segments; i++) {
        toft_segment *segment = toft_block_segment(block, i);
        if (segment->dirty_units != 0 && toft_units_longest(segment->free_units) == longest)
            return segment;
    }
    return NULL;
}

/* Discards so much, or what there is until the sweep's end. While a segment's units are out, other
   threads may sweep, too, or begin anew. Returns how many bytes. */
static size_t sweep(toft_heap *heap, size_t bytes) {
    size_t done_bytes = 0;
    for (toft_block *block; done_bytes < bytes && (block = block_to_sweep(heap)) != NULL;) {
        toft_segment *segment = segment_to_sweep(block, heap->sweep_longest);
        if (segment != NULL)
            done_bytes += discard_unlocked(heap, segment);
        else
            heap->sweep_next = block->next;
    }
    return done_bytes;
}

/* --- either --- */

/* Whole blocks first. No more than lies idle now, whatever others free meanwhile. Returns how many
   bytes went back. */
static size_t give_back(toft_pool *pool, size_t keep_bytes) {
    toft_heap *heap = &pool->heap;
    size_t before_bytes = toft_heap_idle_bytes(heap);
    give_unused_blocks(pool, keep_bytes);
    size_t given_bytes = before_bytes - toft_heap_idle_bytes(heap);
    if (!toft_heap_from_system(heap) || toft_heap_idle_bytes(heap) <= keep_bytes)
        return given_bytes;
    return given_bytes + sweep(heap, toft_heap_idle_bytes(heap) - keep_bytes);
}

static void trim(toft_pool *pool, size_t keep_bytes) {
    begin_sweep(&pool->heap);
    give_back(pool, keep_bytes);
}

void toft_heap_trim(toft_pool *pool, size_t keep_bytes) {
    toft_lock(&pool->heap.lock);
    trim(pool, keep_bytes);
    toft_unlock(&pool->heap.lock);
    toft_heap_unmap_left(&pool->heap);
}

/* What may lie idle for a moment: it is likely to be wanted again. */
static size_t idle_bound_bytes(const toft_heap *heap) {
    if (heap->keep_bytes != 0) return heap->keep_bytes;
    return toft_max(toft_max(TOFT_POOL_IDLE_BYTES, heap->block_bytes / 4),
                    toft_idle_wanted_bytes(&heap->idle));
}

static void shed_unused_blocks(toft_pool *pool, size_t bound_bytes) {
    toft_heap *heap = &pool->heap;
    size_t before_bytes = heap->reserved_bytes;
    toft_block *unused = heap->unused_blocks;
    if (unused == NULL || unused->next == NULL) return;
    size_t keep_bytes = toft_max(bound_bytes / 2, toft_idle_wanted_bytes(&heap->idle));
    give_unused_blocks(pool, toft_min(keep_bytes, bound_bytes));
    toft_idle_note_shed(&heap->idle, before_bytes - heap->reserved_bytes);
}

/* Pieces of blocks only where the user has set the bound: those of a huge page would come back as
   many ordinary ones. First those that were just added, since a sweep passes over all blocks. */
void toft_heap_shed(toft_pool *pool, toft_segment *grown) {
    toft_heap *heap = &pool->heap;
    size_t bound_bytes = idle_bound_bytes(heap);
    if (toft_heap_idle_bytes(heap) <= bound_bytes) return;
    bool is_in_use = grown->block->used_units != 0; /* and isn't unmapped below */
    shed_unused_blocks(pool, bound_bytes);
    if (heap->keep_bytes == 0 || toft_heap_idle_bytes(heap) <= bound_bytes) return;
    if (is_in_use && toft_heap_from_system(heap)) discard_unlocked(heap, grown);
    if (toft_heap_idle_bytes(heap) > bound_bytes) trim(pool, bound_bytes / 2);
}

/* --- decay --- */

/* So many units of what is owed, or some more, since blocks go back as a whole. */
static void pay(toft_pool *pool, size_t units) {
    toft_heap *heap = &pool->heap;
    units = toft_debt_take(&heap->debt_units, units);
    if (units == 0) return;
    size_t given_bytes = give_back(pool, toft_heap_idle_bytes(heap) - units * TOFT_UNIT_BYTES);
    toft_debt_settle(&heap->debt_units, units, given_bytes / TOFT_UNIT_BYTES);
}

void toft_heap_decay(toft_pool *pool, unsigned halvings) {
    toft_heap *heap = &pool->heap;
    toft_lock(&heap->lock);
    toft_debt_forgive(&heap->debt_units, heap->dirty_low_units);
    pay(pool, SIZE_MAX);
    toft_debt_set(&heap->debt_units, toft_decay_share(heap->dirty_low_units, halvings));
    begin_sweep(heap);
    bool has_rested = halvings > 1; /* and may soon rest again */
    if (has_rested) pay(pool, SIZE_MAX);
    heap->dirty_low_units = heap->dirty_units;
    toft_idle_step(&heap->idle, toft_heap_used_bytes(heap), halvings);
    toft_unlock(&heap->lock);
}

void toft_heap_decay_on(toft_pool *pool) {
    toft_heap *heap = &pool->heap;
    toft_lock(&heap->lock);
    toft_debt_forgive(&heap->debt_units, heap->dirty_low_units);
    pay(pool, part_units);
    toft_unlock(&heap->lock);
}
