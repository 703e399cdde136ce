/* SPDX-License-Identifier: MIT */
/* The heap: blocks of memory, cut into segments, whose units become spans and back. */
#include "base/check.h"
#include "base/list.h"
#include "os/tracking.h"
#include "pool/map.h"
#include "pool/pool.h"
#include "pool/units.h"

enum {
    small_block_segments = 1, /* see TOFT_HEAP_SINGLE_SEGMENTS_BYTES */
    large_block_segments = 4, /* 2 MiB: a huge page */
    huge_blocks_in_turn = 7,  /* between two that show whether slots are filled */
};

/* --- blocks --- */

/* Slots of more than a page may be buffers of which little is ever touched, and a huge page is
   spent as a whole. So a block for them has ordinary pages, which show whether they are filled when
   the next one is needed. If they are, that one and some more have huge pages. */
static bool has_filled_slots(toft_heap *heap) {
    enum { looked_at = 32 };
    toft_block *sparse = heap->sparse;
    if (heap->huge_left == 0 && sparse != NULL) {
        unsigned pages = toft_os_resident_pages(toft_segment_of(sparse), sparse->bytes, looked_at);
        if (pages >= looked_at / 4 * 3) heap->huge_left = huge_blocks_in_turn;
    }
    if (heap->huge_left == 0) return false;
    heap->huge_left--;
    return true;
}

static bool wants_huge(toft_heap *heap, size_t bytes, size_t slot_bytes) {
    if (!toft_heap_from_system(heap) || bytes < TOFT_HUGE_PAGE_BYTES) return false;
    return slot_bytes <= toft_os_page_bytes() || has_filled_slots(heap);
}

/* Makes a block of so many segments of memory. Touches the first page of each: the heap isn't
   locked, since a new page may take the system as long as thousands of calls take here. */
static toft_block *make_block(toft_pool *pool, void *memory, unsigned segments,
                              unsigned touched_units) {
    toft_block *block = &((toft_segment *)memory)->block_here;
    *block = (toft_block){.bytes = segments * TOFT_SEGMENT_BYTES, .segments = segments};
    for (unsigned i = 0; i < segments; i++) {
        toft_segment *segment = toft_block_segment(block, i);
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
    if (block->is_sparse) heap->sparse = block;
    heap->block_bytes += block->bytes;
    heap->free_units += block->segments * TOFT_SEGMENT_UNITS;
    for (unsigned i = block->segments; i-- > 0;) {
        toft_segment *segment = toft_block_segment(block, i);
        unsigned dirty_units = (unsigned)__builtin_popcount(segment->dirty_units);
        toft_units_set_dirty(heap, heap->dirty_units + dirty_units);
        toft_units_set_free(heap, segment, TOFT_UNITS_ALL);
    }
}

static toft_block *map_block(toft_pool *pool, unsigned segments, size_t slot_bytes) {
    size_t bytes = segments * TOFT_SEGMENT_BYTES;
    toft_lock(&pool->heap.lock);
    bool huge = wants_huge(&pool->heap, bytes, slot_bytes);
    void *memory = toft_heap_map(pool, bytes, huge ? TOFT_HUGE_PAGE_BYTES : TOFT_SEGMENT_BYTES);
    if (memory != NULL) toft_idle_note_mapped(&pool->heap.idle, bytes);
    toft_unlock(&pool->heap.lock);
    if (memory == NULL) return NULL;
    bool is_sparse = !huge && bytes >= TOFT_HUGE_PAGE_BYTES;
    /* Where the system gives huge pages to all, the first touch would fill the block. */
    if (is_sparse && toft_heap_from_system(&pool->heap)) toft_os_prefer_ordinary(memory, bytes);
    if (huge) toft_os_touch_huge_page(memory);
    toft_block *block = make_block(pool, memory, segments, 0);
    size_t page_bytes = toft_os_page_bytes();
    char *untouched_page = (char *)memory + page_bytes; /* else */
    block->is_there = huge && toft_os_resident_pages(untouched_page, page_bytes, 1) != 0;
    block->is_sparse = is_sparse;
    return block;
}

/* In memory of whatever contents: what is freed of its former life finds no span there. */
static void forget_spans(char *memory, unsigned segments) {
    for (unsigned i = 0; i < segments; i++)
        toft_segment_forget_spans((toft_segment *)(void *)(memory + i * TOFT_SEGMENT_BYTES));
}

static toft_block *take_kept_block(toft_pool *pool, unsigned segments) {
    unsigned touched_units = 0;
    toft_lock(&pool->heap.lock);
    size_t bytes = segments * TOFT_SEGMENT_BYTES;
    void *kept = toft_heap_take_kept(pool, bytes, bytes, &touched_units);
    toft_unlock(&pool->heap.lock);
    if (kept == NULL) return NULL;
    forget_spans(kept, segments);
    return make_block(pool, kept, segments, segments == 1 ? touched_units : TOFT_UNITS_ALL);
}

/* A block that isn't the heap's yet; NULL when out of memory. */
static toft_block *new_block(toft_pool *pool, size_t slot_bytes) {
    toft_block *block = NULL;
    if (toft_depots_taken_bytes(pool) >= TOFT_HEAP_SINGLE_SEGMENTS_BYTES) {
        block = take_kept_block(pool, large_block_segments);
        if (block == NULL) block = map_block(pool, large_block_segments, slot_bytes);
    }
    if (block == NULL) block = take_kept_block(pool, small_block_segments);
    return block != NULL ? block : map_block(pool, small_block_segments, slot_bytes);
}

void toft_heap_adopt(toft_pool *pool, void *memory, size_t bytes, bool is_end) {
    char *begin = (char *)toft_align_up((uintptr_t)memory, TOFT_SEGMENT_BYTES);
    char *end = (char *)memory + bytes;
    unsigned segments = (unsigned)((size_t)(end - begin) / TOFT_SEGMENT_BYTES);
    TOFT_ASSERT(segments != 0);
    forget_spans(begin, segments);
    toft_block *block = make_block(pool, begin, segments, TOFT_UNITS_ALL);
    toft_lock(&pool->heap.lock);
    toft_heap_cut(pool, memory, (size_t)(begin - (char *)memory));
    char *behind = begin + segments * TOFT_SEGMENT_BYTES;
    toft_heap_cut(pool, behind, (size_t)(end - behind));
    add_block(&pool->heap, block);
    if (is_end) pool->heap.upstream_allocations++; /* since each part goes back by itself */
    toft_unlock(&pool->heap.lock);
}

/* --- taking --- */

/* One that was discarded in part, and is full again. */
static void prefer_huge_if_full(toft_block *block) {
    if (block->is_sparse || block->used_units < block->segments * TOFT_SEGMENT_UNITS) return;
    block->is_ordinary = false;
    toft_os_prefer_huge(toft_block_segment(block, 0), block->bytes);
}

/* What lies before a span is another one's, which has poisoned it, or nobody's: then it is poisoned
   before anybody can take it. */
static void poison_before(toft_segment *segment, unsigned first) {
    if (first == 0 || (segment->free_units >> (first - 1) & 1) == 0) return;
    toft_track_free(toft_unit_at(segment, first) - TOFT_REDZONE_BYTES, TOFT_REDZONE_BYTES);
}

static toft_span *take_units(toft_heap *heap, const toft_span_shape *shape, bool *untouched) {
    unsigned units = shape->units;
    toft_segment *segment = toft_units_segment_with_room(heap, units);
    if (segment == NULL) return NULL;
    int found = toft_units_find_run(segment->free_units, units);
    TOFT_ASSERT(found >= 0);
    unsigned first = (unsigned)found;
    unsigned mask = toft_units_mask(first, units);
    *untouched = (segment->touched_units & mask) == 0 && !segment->block->is_there;
    segment->touched_units = (uint16_t)(segment->touched_units | mask);
    unsigned dirty_units = toft_units_take_out(heap, segment, mask);
    if (TOFT_UNLIKELY(segment->block->is_ordinary)) prefer_huge_if_full(segment->block);
    toft_idle_note_reused(&heap->idle, dirty_units * TOFT_UNIT_BYTES);
    toft_heap_note_grown(heap, (units - dirty_units) * TOFT_UNIT_BYTES);
    toft_idle_note_used(&heap->idle, toft_heap_used_bytes(heap));
    toft_map_set_class(toft_unit_at(segment, first), units, shape->size_class);
    TOFT_ASSERT(toft_units_are_sound(heap, segment));
    if (toft_tracking()) poison_before(segment, first);
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
    toft_block *block = new_block(pool, toft_slot_bytes(shape->size_class));
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

/* For a tool that tracks memory: all slots are nobody's, and so is what lies beside them. */
static void poison(const toft_span *span) {
    toft_segment *segment = toft_segment_of(span);
    unsigned first = (unsigned)(span - segment->spans);
    const char *begin =
        first == 0 ? (const char *)(segment + 1) : (const char *)toft_unit_at(segment, first);
    const char *end = (const char *)toft_unit_at(segment, first + span->units);
    toft_track_free(begin, (size_t)(end - begin));
}

toft_span *toft_heap_take(toft_pool *pool, const toft_span_shape *shape, toft_growth growth,
                          bool *untouched) {
    toft_span *span = take(&pool->heap, shape, untouched);
    if (span == NULL && growth == toft_may_grow) span = take_grown(pool, shape, untouched);
    if (span == NULL) return NULL;
    span->pool_tag = (uint16_t)pool->id;
    if (toft_tracking()) poison(span);
    return span;
}

/* --- giving back --- */

void toft_heap_give(toft_pool *pool, toft_span *span) {
    toft_heap *heap = &pool->heap;
    toft_segment *segment = toft_segment_of(span);
    unsigned first = (unsigned)(span - segment->spans);
    unsigned mask = toft_units_mask(first, span->units);
    toft_map_set_nothing(toft_unit_at(segment, first), span->units * TOFT_UNIT_BYTES);
    toft_lock(&heap->lock);
    TOFT_ASSERT(segment->pool == pool && toft_span_is_empty(span));
    toft_units_put_in(heap, segment, mask);
    segment->dirty_units = (uint16_t)(segment->dirty_units | mask);
    toft_units_set_dirty(heap, heap->dirty_units + span->units);
    TOFT_ASSERT(toft_units_are_sound(heap, segment));
    toft_heap_shed(pool, segment);
    toft_unlock(&heap->lock);
}
