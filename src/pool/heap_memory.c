/* SPDX-License-Identifier: MIT */
/* Where a heap's memory comes from, and large objects' too: the pool's upstream, or what destroyed
 * pools have left, counted and within the limit. */
#include "os/tracking.h"
#include "pool/map.h"
#include "pool/pool.h"
#include "pool/segments.h"

/* The beginning of a mapping that waits to be unmapped. */
typedef struct toft_left_mapping {
    struct toft_left_mapping *next;
    size_t bytes;
} toft_left_mapping;

static void *ask_upstream(const toft_upstream *upstream, size_t bytes, size_t alignment) {
    toft_thread *before = toft_upstream_enter();
    void *memory = upstream->allocate(upstream->context, bytes, alignment);
    toft_upstream_leave(before);
    return memory;
}

static void give_upstream(const toft_upstream *upstream, void *memory, size_t bytes,
                          size_t alignment) {
    if (upstream->free == NULL) return;
    toft_thread *before = toft_upstream_enter();
    upstream->free(upstream->context, memory, bytes, alignment);
    toft_upstream_leave(before);
}

static void give_back(toft_heap *heap, void *memory, size_t bytes, size_t alignment) {
    if (toft_heap_from_system(heap))
        toft_os_unmap(memory, bytes);
    else
        give_upstream(heap->upstream, memory, bytes, alignment);
}

/* The limit may be set when more is reserved already. */
static bool is_within_limit(const toft_heap *heap, size_t more_bytes) {
    return heap->limit_bytes == 0 || (heap->reserved_bytes <= heap->limit_bytes &&
                                      more_bytes <= heap->limit_bytes - heap->reserved_bytes);
}

static void set_reserved(toft_heap *heap, size_t bytes) {
    __atomic_store_n(&heap->reserved_bytes, bytes, __ATOMIC_RELAXED);
    heap->high_water_bytes = toft_max(heap->high_water_bytes, bytes);
}

static void count_taken(toft_heap *heap, size_t bytes) {
    heap->upstream_allocations++;
    set_reserved(heap, heap->reserved_bytes + bytes);
}

static void count_given(toft_heap *heap, size_t bytes) {
    heap->upstream_frees++;
    set_reserved(heap, heap->reserved_bytes - bytes);
}

void *toft_heap_map(toft_pool *pool, size_t bytes, size_t alignment) {
    toft_heap *heap = &pool->heap;
    if (!is_within_limit(heap, bytes)) return NULL;
    void *memory = toft_heap_from_system(heap) ? toft_os_map(bytes, alignment)
                                               : ask_upstream(heap->upstream, bytes, alignment);
    if (memory == NULL) return NULL;
    if (TOFT_UNLIKELY((uintptr_t)memory % alignment != 0)) {
        toft_pool_note_misuse(pool, memory,
                              "the upstream's allocate returned memory not aligned as asked");
        return NULL;
    }
    if (TOFT_UNLIKELY(!toft_map_reserve(memory, bytes))) {
        give_back(heap, memory, bytes, alignment);
        return NULL;
    }
    if (toft_tracking()) toft_track_chunk(memory, bytes);
    count_taken(heap, bytes);
    return memory;
}

bool toft_heap_could_map(const toft_pool *pool, size_t bytes) {
    const toft_heap *heap = &pool->heap;
    if (heap->limit_bytes != 0 && bytes > heap->limit_bytes) return false;
    return !toft_heap_from_system(heap) || bytes <= toft_os_mapping_max_bytes();
}

bool toft_heap_reclaim_everything(toft_pool *pool, size_t bytes) {
    toft_heap *heap = &pool->heap;
    if (!toft_heap_from_system(heap)) return false;
    toft_lock(&heap->lock);
    bool within_limit = is_within_limit(heap, bytes);
    toft_unlock(&heap->lock);
    return within_limit && toft_reclaim_everything();
}

/* The heap's lock is held. */
static void leave(toft_heap *heap, void *memory, size_t bytes) {
    toft_left_mapping *left = memory;
    *left = (toft_left_mapping){heap->left, bytes};
    __atomic_store_n(&heap->left, left, __ATOMIC_RELAXED);
}

void toft_heap_unmap(toft_pool *pool, void *memory, size_t bytes, size_t alignment) {
    toft_heap *heap = &pool->heap;
    if (toft_tracking()) {
        toft_forget_chunk(memory, bytes);
        toft_track_allocated(memory, bytes);
    }
    count_given(heap, bytes);
    if (toft_tracking() || !toft_heap_from_system(heap) || heap->limit_bytes != 0)
        give_back(heap, memory, bytes, alignment);
    else
        leave(heap, memory, bytes);
}

static toft_left_mapping *pop_left(toft_heap *heap) {
    toft_lock(&heap->lock);
    toft_left_mapping *left = heap->left;
    if (left != NULL) __atomic_store_n(&heap->left, left->next, __ATOMIC_RELAXED);
    toft_unlock(&heap->lock);
    return left;
}

/* One by one, so that a process forked meanwhile loses no more than one. */
TOFT_COLD void toft_heap_unmap_left_slow(toft_heap *heap) {
    for (toft_left_mapping *left; (left = pop_left(heap)) != NULL;)
        toft_os_unmap(left, left->bytes);
}

void toft_heap_cut(toft_pool *pool, void *memory, size_t bytes) {
    if (bytes == 0) return;
    set_reserved(&pool->heap, pool->heap.reserved_bytes - bytes);
    toft_os_unmap(memory, bytes);
}

/* A longer mapping may come to lie elsewhere, and there the map must know of it. */
static void *lengthen(void *memory, size_t bytes, size_t new_bytes) {
    void *spare = toft_map_take_spare();
    if (spare == NULL) return NULL;
    void *moved = toft_os_remap(memory, bytes, new_bytes);
    toft_map_give_spare(spare, moved != NULL ? moved : memory);
    return moved;
}

static void *shorten(toft_heap *heap, void *memory, size_t bytes, size_t new_bytes) {
    if (new_bytes == bytes) return memory;
    if (heap->limit_bytes != 0) return toft_os_remap(memory, bytes, new_bytes);
    leave(heap, (char *)memory + new_bytes, bytes - new_bytes);
    return memory;
}

void *toft_heap_remap(toft_pool *pool, void *memory, size_t bytes, size_t new_bytes) {
    toft_heap *heap = &pool->heap;
    if (new_bytes > bytes && !is_within_limit(heap, new_bytes - bytes)) return NULL;
    memory = new_bytes > bytes ? lengthen(memory, bytes, new_bytes)
                               : shorten(heap, memory, bytes, new_bytes);
    if (memory == NULL) return NULL;
    set_reserved(heap, heap->reserved_bytes + new_bytes - bytes);
    return memory;
}

void *toft_heap_take_kept(toft_pool *pool, size_t bytes, size_t alignment,
                          unsigned *touched_units) {
    toft_heap *heap = &pool->heap;
    if (!toft_heap_from_system(heap) || !is_within_limit(heap, bytes)) return NULL;
    void *kept = toft_segments_take(bytes, alignment, touched_units);
    if (kept != NULL) count_taken(heap, bytes);
    return kept;
}

bool toft_heap_keep(toft_pool *pool, void *memory, size_t bytes, unsigned touched_units) {
    toft_heap *heap = &pool->heap;
    if (!toft_heap_from_system(heap) || !toft_map_reserve(memory, bytes) ||
        !toft_segments_give(memory, bytes, touched_units))
        return false;
    count_given(heap, bytes);
    return true;
}

/* --- the end --- */

/* For other pools, where it is one that toft_segments keeps, and still in a huge page if it was
   made for one. */
static bool keep_block(toft_pool *pool, toft_block *block) {
    if (block->is_sparse || block->is_ordinary) return false;
    toft_segment *first = toft_segment_of(block);
    return toft_heap_keep(pool, first, block->bytes, first->touched_units | 1U);
}

static void destroy_block(toft_pool *pool, toft_block *block) {
    size_t bytes = block->bytes;
    toft_map_set_nothing(toft_segment_of(block), bytes);
    if (!keep_block(pool, block))
        toft_heap_unmap(pool, toft_segment_of(block), bytes, TOFT_SEGMENT_BYTES);
}

/* Single segments first: the next pool begins with those, so that they stay if not all can. */
static toft_block *destroy_segments(toft_pool *pool, toft_block *blocks, toft_block *longer) {
    for (toft_block *block = blocks, *next; block != NULL; block = next) {
        next = block->next;
        if (block->segments == 1) {
            destroy_block(pool, block);
        } else {
            block->next = longer;
            longer = block;
        }
    }
    return longer;
}

void toft_heap_destroy(toft_pool *pool) {
    toft_block *longer = destroy_segments(pool, pool->heap.blocks, NULL);
    longer = destroy_segments(pool, pool->heap.unused_blocks, longer);
    for (toft_block *block = longer, *next; block != NULL; block = next) {
        next = block->next;
        destroy_block(pool, block);
    }
    toft_heap_unmap_left(&pool->heap);
}
