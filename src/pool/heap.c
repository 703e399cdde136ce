/* SPDX-License-Identifier: MIT */
/* The heap: blocks of memory, cut into segments, whose units become spans and back. */
#include "base/check.h"
#include "base/decay.h"
#include "base/list.h"
#include "pool/map.h"
#include "pool/pool.h"

enum {
    small_block_segments = 1, /* while a pool is small */
    large_block_segments = 4, /* 2 MiB: a huge page */
};

/* --- segments and their units --- */

static const uint16_t all_units = (uint16_t)((1U << TOFT_SEGMENT_UNITS) - 1);

/* The first of a run of free units, or -1. Longer runs start where a whole number of them fits
   behind unit 0, which is short of its segment's header and serves single ones only: their slots
   need no stronger alignment than the header's size gives them. */
static int find_run(unsigned free_units, unsigned units) {
    unsigned runs = free_units;
    for (unsigned i = 1; i < units; i++) runs &= free_units >> i;
    if (units == 3) runs &= 1U << 1 | 1U << 4 | 1U << 7 | 1U << 10 | 1U << 13;
    if (units == 5) runs &= 1U << 1 | 1U << 6 | 1U << 11;
    return runs == 0 ? -1 : __builtin_ctz(runs);
}

static_assert(TOFT_UNIT_BYTES / 4 <= TOFT_SEGMENT_HEADER_BYTES,
              "at least four slots fit in a unit, so that none is larger than the header");

static unsigned run_mask(unsigned first, unsigned units) { return ((1U << units) - 1) << first; }

/* The list of the segments where a span of 1, 3 or 5 units fits, but no longer one. Where a longer
   one fits, a shorter one does, too. */
static toft_segment **list_for(toft_heap *heap, unsigned free_units) {
    for (unsigned units = TOFT_SPAN_UNITS_MAX;; units -= 2) {
        if (find_run(free_units, units) >= 0) return &heap->segments[units / 2];
        if (units == 1) return NULL;
    }
}

static void set_free_units(toft_heap *heap, toft_segment *segment, unsigned free_units) {
    toft_segment **before = list_for(heap, segment->free_units);
    toft_segment **now = list_for(heap, free_units);
    segment->free_units = (uint16_t)free_units;
    if (now == before) return;
    if (before != NULL) TOFT_LIST_REMOVE(*before, segment);
    if (now != NULL) TOFT_LIST_PUSH(*now, segment);
}

/* A segment with room for a span; one without room for a longer span comes first, so that long runs
   stay. */
static toft_segment *segment_with_room(const toft_heap *heap, unsigned units) {
    toft_segment *segment = NULL;
    for (; segment == NULL && units <= TOFT_SPAN_UNITS_MAX; units += 2)
        segment = heap->segments[units / 2];
    return segment;
}

/* --- blocks --- */

/* Notes how little was idle since the last step of decay: only that much is given back then. */
static void note_low(toft_heap *heap) {
    heap->dirty_low_units = toft_min(heap->dirty_low_units, heap->dirty_units);
}

/* What spans have. */
static size_t used_bytes(const toft_heap *heap) {
    return heap->block_bytes - heap->free_units * TOFT_UNIT_BYTES;
}

static size_t idle_bytes(const toft_heap *heap) { return heap->dirty_units * TOFT_UNIT_BYTES; }

/* For huge pages, where the system has them. */
static size_t block_alignment(const toft_heap *heap, size_t bytes) {
    bool huge = toft_heap_from_system(heap) && bytes >= TOFT_HUGE_PAGE_BYTES;
    return huge ? TOFT_HUGE_PAGE_BYTES : TOFT_SEGMENT_BYTES;
}

static toft_segment *segment_in(toft_block *block, unsigned index) {
    return (toft_segment *)((char *)toft_segment_of(block) + index * TOFT_SEGMENT_BYTES);
}
static toft_segment *first_segment(toft_block *block) { return segment_in(block, 0); }

/* Makes a block of so many segments of memory. Touches the first page of each: the heap isn't
   locked, since a new page may take the system as long as thousands of calls take here. */
static toft_block *make_block(toft_pool *pool, void *memory, unsigned segments,
                              unsigned touched_units) {
    toft_block *block = &((toft_segment *)memory)->block_here;
    *block = (toft_block){.bytes = segments * TOFT_SEGMENT_BYTES, .segments = segments};
    for (unsigned i = 0; i < segments; i++) {
        toft_segment *segment = segment_in(block, i);
        segment->pool = pool;
        segment->block = block;
        segment->free_units = 0;
        segment->dirty_units = (uint16_t)touched_units;
        segment->touched_units = (uint16_t)touched_units;
    }
    return block;
}

static void add_block(toft_heap *heap, toft_block *block) {
    TOFT_LIST_PUSH(heap->unused_blocks, block);
    heap->block_bytes += block->bytes;
    heap->free_units += block->segments * TOFT_SEGMENT_UNITS;
    for (unsigned i = block->segments; i-- > 0;) {
        toft_segment *segment = segment_in(block, i);
        heap->dirty_units += (unsigned)__builtin_popcount(segment->dirty_units);
        set_free_units(heap, segment, all_units);
    }
}

static toft_block *map_block(toft_pool *pool, unsigned segments) {
    size_t bytes = segments * TOFT_SEGMENT_BYTES;
    toft_lock(&pool->heap.lock);
    void *memory = toft_heap_map(pool, bytes, block_alignment(&pool->heap, bytes));
    if (memory != NULL) toft_idle_note_mapped(&pool->heap.idle, bytes);
    toft_unlock(&pool->heap.lock);
    return memory == NULL ? NULL : make_block(pool, memory, segments, 0);
}

static toft_block *take_kept_block(toft_pool *pool) {
    unsigned touched_units = 0;
    toft_lock(&pool->heap.lock);
    void *kept = toft_heap_take_kept(pool, &touched_units);
    toft_unlock(&pool->heap.lock);
    return kept == NULL ? NULL : make_block(pool, kept, 1, touched_units);
}

/* A block that isn't the heap's yet; NULL when out of memory. */
static toft_block *new_block(toft_pool *pool) {
    bool small = toft_depots_taken_bytes(pool) < TOFT_POOL_SMALL_HEAP_BYTES;
    toft_block *block = small ? NULL : map_block(pool, large_block_segments);
    if (block == NULL) block = take_kept_block(pool);
    return block != NULL ? block : map_block(pool, small_block_segments);
}

static void remove_unused_block(toft_pool *pool, toft_block *block) {
    toft_heap *heap = &pool->heap;
    for (unsigned i = 0; i < block->segments; i++) {
        toft_segment *segment = segment_in(block, i);
        set_free_units(heap, segment, 0);
        heap->dirty_units -= (unsigned)__builtin_popcount(segment->dirty_units);
    }
    heap->free_units -= block->segments * TOFT_SEGMENT_UNITS;
    TOFT_LIST_REMOVE(heap->unused_blocks, block);
    heap->block_bytes -= block->bytes;
    note_low(heap);
    toft_heap_unmap(pool, first_segment(block), block->bytes, TOFT_SEGMENT_BYTES);
}

void toft_heap_adopt(toft_pool *pool, void *memory, size_t bytes, bool is_end) {
    char *begin = (char *)toft_align_up((uintptr_t)memory, TOFT_SEGMENT_BYTES);
    char *end = (char *)memory + bytes;
    unsigned segments = (unsigned)((size_t)(end - begin) / TOFT_SEGMENT_BYTES);
    TOFT_ASSERT(segments != 0);
    for (unsigned i = 0; i < segments; i++)
        toft_segment_forget_spans((toft_segment *)(begin + i * TOFT_SEGMENT_BYTES));
    toft_block *block = make_block(pool, begin, segments, all_units);
    toft_lock(&pool->heap.lock);
    toft_heap_cut(pool, memory, (size_t)(begin - (char *)memory));
    char *behind = begin + segments * TOFT_SEGMENT_BYTES;
    toft_heap_cut(pool, behind, (size_t)(end - behind));
    add_block(&pool->heap, block);
    if (is_end) pool->heap.upstream_allocations++; /* since each part goes back by itself */
    toft_unlock(&pool->heap.lock);
}

/* --- taking --- */

static bool is_sound(const toft_heap *heap, const toft_segment *segment) {
    const toft_block *block = segment->block;
    return (segment->dirty_units & ~segment->free_units) == 0 &&
           block->used_units <= block->segments * TOFT_SEGMENT_UNITS &&
           heap->dirty_units <= heap->free_units &&
           heap->free_units * TOFT_UNIT_BYTES <= heap->block_bytes &&
           heap->block_bytes <= heap->reserved_bytes &&
           heap->reserved_bytes <= heap->high_water_bytes;
}

/* Takes free units out. Returns how many of them were dirty. */
static unsigned take_out(toft_heap *heap, toft_segment *segment, unsigned mask) {
    toft_block *block = segment->block;
    unsigned units = (unsigned)__builtin_popcount(mask);
    unsigned dirty_units = (unsigned)__builtin_popcount(segment->dirty_units & mask);
    set_free_units(heap, segment, segment->free_units & ~mask);
    segment->dirty_units = (uint16_t)(segment->dirty_units & ~mask);
    if (block->used_units == 0) {
        TOFT_LIST_REMOVE(heap->unused_blocks, block);
        TOFT_LIST_PUSH(heap->blocks, block);
    }
    block->used_units += units;
    heap->free_units -= units;
    heap->dirty_units -= dirty_units;
    return dirty_units;
}

/* The reverse; they are clean. */
static void put_in(toft_heap *heap, toft_segment *segment, unsigned mask) {
    toft_block *block = segment->block;
    unsigned units = (unsigned)__builtin_popcount(mask);
    TOFT_ASSERT((segment->free_units & mask) == 0 && block->used_units >= units);
    set_free_units(heap, segment, segment->free_units | mask);
    heap->free_units += units;
    block->used_units -= units;
    if (block->used_units == 0) {
        TOFT_LIST_REMOVE(heap->blocks, block);
        TOFT_LIST_PUSH(heap->unused_blocks, block);
    }
}

static toft_span *take_units(toft_heap *heap, const toft_span_shape *shape, bool *untouched) {
    unsigned units = shape->units;
    toft_segment *segment = segment_with_room(heap, units);
    if (segment == NULL) return NULL;
    int found = find_run(segment->free_units, units);
    TOFT_ASSERT(found >= 0);
    unsigned first = (unsigned)found;
    unsigned mask = run_mask(first, units);
    *untouched = (segment->touched_units & mask) == 0;
    segment->touched_units = (uint16_t)(segment->touched_units | mask);
    unsigned dirty_units = take_out(heap, segment, mask);
    note_low(heap);
    toft_idle_note_reused(&heap->idle, dirty_units * TOFT_UNIT_BYTES);
    toft_idle_note_used(&heap->idle, used_bytes(heap));
    toft_map_set_class(toft_unit_at(segment, first), units, shape->size_class);
    TOFT_ASSERT(is_sound(heap, segment));
    return toft_span_init(segment, first, shape);
}

static toft_span *take(toft_heap *heap, const toft_span_shape *shape, bool *untouched) {
    toft_lock(&heap->lock);
    toft_span *span = take_units(heap, shape, untouched);
    toft_unlock(&heap->lock);
    return span;
}

static toft_span *take_from_new_block(toft_pool *pool, const toft_span_shape *shape,
                                      bool *untouched) {
    toft_heap *heap = &pool->heap;
    toft_block *block = new_block(pool);
    if (block == NULL) return NULL;
    toft_lock(&heap->lock);
    add_block(heap, block);
    toft_span *span = take_units(heap, shape, untouched);
    toft_unlock(&heap->lock);
    return span;
}

/* When out of memory: what other threads are discarding will soon be there again. */
static toft_span *take_after_discards(toft_heap *heap, const toft_span_shape *shape,
                                      bool *untouched) {
    toft_span *span = NULL;
    for (unsigned looks = 0; span == NULL && toft_heap_is_discarding(heap); looks++) {
        toft_os_yield(looks);
        span = take(heap, shape, untouched);
    }
    return span;
}

/* One thread makes a block, and who finds no room meanwhile waits for it, since it serves many. */
static toft_span *take_grown(toft_pool *pool, const toft_span_shape *shape, bool *untouched) {
    toft_heap *heap = &pool->heap;
    toft_lock(&heap->growth);
    toft_span *span = take(heap, shape, untouched);
    if (span == NULL) span = take_from_new_block(pool, shape, untouched);
    if (span == NULL) span = take_after_discards(heap, shape, untouched);
    toft_unlock(&heap->growth);
    return span;
}

toft_span *toft_heap_take(toft_pool *pool, const toft_span_shape *shape, bool may_grow,
                          bool *untouched) {
    toft_span *span = take(&pool->heap, shape, untouched);
    return span != NULL || !may_grow ? span : take_grown(pool, shape, untouched);
}

/* --- giving back --- */

/* Physical memory of units that nobody else uses; the upstream of a user's has no such request. */
static void discard(toft_segment *segment, unsigned mask) {
    while (mask != 0) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        unsigned end = first;
        while (end < TOFT_SEGMENT_UNITS && (mask >> end & 1) != 0) end++;
        size_t skipped_bytes = first == 0 ? TOFT_SEGMENT_HEADER_BYTES : 0;
        toft_os_discard_within(toft_unit_at(segment, first) + skipped_bytes,
                               (end - first) * TOFT_UNIT_BYTES - skipped_bytes);
        mask &= ~run_mask(first, end - first);
    }
}

static void count_discards(toft_heap *heap, unsigned more) {
    __atomic_store_n(&heap->discards, heap->discards + more, __ATOMIC_RELAXED);
}

/* Takes the units out meanwhile, so that other threads needn't wait for the system; a process
   forked then loses them. Returns how many bytes. */
static size_t discard_unlocked(toft_heap *heap, toft_segment *segment) {
    unsigned mask = segment->dirty_units;
    unsigned units = take_out(heap, segment, mask);
    note_low(heap);
    count_discards(heap, 1);
    toft_unlock(&heap->lock);
    discard(segment, mask);
    toft_lock(&heap->lock);
    count_discards(heap, -1U);
    put_in(heap, segment, mask);
    return units * TOFT_UNIT_BYTES;
}

/* Blocks without a span, until at most keep_bytes are idle; all of them for 0. What is free, but
   spends no memory, as holes that were discarded before, isn't idle. */
static void give_unused_blocks(toft_pool *pool, size_t keep_bytes) {
    toft_heap *heap = &pool->heap;
    if (!toft_heap_takes_back(heap) || !toft_heap_may_give_back(heap)) return;
    while (heap->unused_blocks != NULL && (keep_bytes == 0 || idle_bytes(heap) > keep_bytes))
        remove_unused_block(pool, heap->unused_blocks);
}

/* Up to *bytes, in the segments of that list. False where the block holds no span any more: then it
   may be gone. */
static bool trim_block(toft_heap *heap, toft_block *block, unsigned list, size_t *bytes) {
    if (block->used_units == block->segments * TOFT_SEGMENT_UNITS) return true;
    for (unsigned i = 0; i < block->segments && *bytes != 0; i++) {
        toft_segment *segment = segment_in(block, i);
        if (segment->dirty_units == 0) continue;
        if (list_for(heap, segment->free_units) != &heap->segments[list]) continue;
        *bytes -= toft_min(*bytes, discard_unlocked(heap, segment));
        if (block->used_units == 0) return false;
    }
    return true;
}

/* First whole blocks; then what lies idle between spans, in other blocks: long runs first. */
static void trim(toft_pool *pool, size_t keep_bytes) {
    toft_heap *heap = &pool->heap;
    give_unused_blocks(pool, keep_bytes);
    if (!toft_heap_from_system(heap)) return;
    /* No more than lies there now, whatever others free meanwhile. */
    size_t bytes = idle_bytes(heap) - toft_min(idle_bytes(heap), keep_bytes);
    for (unsigned list = TOFT_SPAN_LENGTHS; list-- > 0;)
        for (toft_block *block = heap->blocks; block != NULL && bytes != 0;)
            block = trim_block(heap, block, list, &bytes) ? block->next : heap->blocks;
}

/* What may lie idle for a moment: it is likely to be wanted again. Only whole blocks are given back
   for it: pieces of a huge page would come back as many ordinary ones. */
static size_t idle_bound_bytes(const toft_heap *heap) {
    if (heap->keep_bytes != 0) return heap->keep_bytes;
    return toft_max(toft_max(TOFT_POOL_IDLE_BYTES, heap->block_bytes / 4),
                    toft_idle_wanted_bytes(&heap->idle));
}

static void shed_unused_blocks(toft_pool *pool) {
    toft_heap *heap = &pool->heap;
    size_t bound_bytes = idle_bound_bytes(heap), before_bytes = heap->reserved_bytes;
    toft_block *unused = heap->unused_blocks;
    if (idle_bytes(heap) <= bound_bytes) return;
    if (unused == NULL || unused->next == NULL) return;
    size_t keep_bytes = toft_max(bound_bytes / 2, toft_idle_wanted_bytes(&heap->idle));
    give_unused_blocks(pool, toft_min(keep_bytes, bound_bytes));
    toft_idle_note_shed(&heap->idle, before_bytes - heap->reserved_bytes);
}

void toft_heap_decay(toft_pool *pool, unsigned halvings) {
    toft_heap *heap = &pool->heap;
    toft_lock(&heap->lock);
    note_low(heap);
    size_t given_units = toft_decay_share(heap->dirty_low_units, halvings);
    if (given_units != 0) trim(pool, (heap->dirty_units - given_units) * TOFT_UNIT_BYTES);
    heap->dirty_low_units = heap->dirty_units;
    toft_idle_step(&heap->idle, used_bytes(heap), halvings);
    toft_unlock(&heap->lock);
}

void toft_heap_give(toft_pool *pool, toft_span *span) {
    toft_heap *heap = &pool->heap;
    toft_segment *segment = toft_segment_of(span);
    unsigned first = (unsigned)(span - segment->spans);
    unsigned mask = run_mask(first, span->units);
    toft_map_set_nothing(toft_unit_at(segment, first), span->units * TOFT_UNIT_BYTES);
    toft_lock(&heap->lock);
    TOFT_ASSERT(segment->pool == pool && toft_span_is_empty(span));
    put_in(heap, segment, mask);
    segment->dirty_units = (uint16_t)(segment->dirty_units | mask);
    heap->dirty_units += span->units;
    TOFT_ASSERT(is_sound(heap, segment));
    shed_unused_blocks(pool);
    toft_unlock(&heap->lock);
}

void toft_heap_trim(toft_pool *pool, size_t keep_bytes) {
    toft_lock(&pool->heap.lock);
    trim(pool, keep_bytes);
    toft_unlock(&pool->heap.lock);
    toft_heap_unmap_left(&pool->heap);
}
