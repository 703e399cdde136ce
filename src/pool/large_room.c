/* SPDX-License-Identifier: MIT */
/* Room for small objects in memory that large ones have left. A program whose tables grow leaves
 * mappings that may never be asked for again; while its heap is small they would be much of all
 * that it holds, and their pages are there already.
 *
 *     +-------------------------------+- - -+---------------------------------+- - -+
 *     | kept, as long as a step       |     | segments: a block of the heap   |     |
 *     +-------------------------------+- - -+---------------------------------+- - -+
 */
#include "base/check.h"
#include "pool/large_kept.h"
#include "pool/pool.h"

/* The longest step that is no longer; 0 where that would be a run. */
static size_t step_within(size_t bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES) return 0;
    unsigned log2 = toft_log2_ceil(bytes + 1) - 1;
    size_t step = bytes & ~(((size_t)1 << (log2 - 3)) - 1);
    return step > TOFT_RUN_MAX_BYTES ? step : 0;
}

/* Gives the heap the mapping's last segment, and what no step of the rest has. */
static void hand_over(toft_pool *pool, const toft_large *mapping) {
    uintptr_t begin = (uintptr_t)mapping->memory, end = begin + mapping->bytes;
    uintptr_t last = (end & ~(uintptr_t)(TOFT_SEGMENT_BYTES - 1)) - TOFT_SEGMENT_BYTES;
    TOFT_ASSERT(begin <= last);
    size_t kept_bytes = step_within(last - begin);
    char *rest = (char *)mapping->memory + kept_bytes;
    if (kept_bytes != 0) toft_kept_push_own(&pool->large, mapping->memory, kept_bytes);
    toft_heap_adopt(pool, rest, mapping->bytes - kept_bytes, kept_bytes != 0);
}

/* Where mappings are soon wanted again, they stay: on huge pages, perhaps, which to cut them would
   cost. */
static bool has_unwanted(const toft_large_store *store) {
    return store->kept_own_bytes > toft_idle_wanted_bytes(&store->idle_own);
}

/* But for what lies idle here. */
static bool heap_is_small(const toft_pool *pool) {
    size_t held_bytes = __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED);
    return held_bytes < TOFT_POOL_SMALL_HEAP_BYTES + pool->large.kept_own_bytes;
}

void toft_large_hand_over(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    if (!toft_heap_from_system(&pool->heap) || toft_tracking()) return;
    toft_lock(&store->lock);
    toft_large shortest = {.memory = NULL};
    if (has_unwanted(store) && heap_is_small(pool))
        shortest = toft_kept_pop_own(store, toft_large_class(TOFT_RUN_MAX_BYTES + 1),
                                     TOFT_LARGE_CLASSES - 1);
    if (shortest.memory != NULL) hand_over(pool, &shortest);
    toft_large_count(store);
    toft_unlock(&store->lock);
}
