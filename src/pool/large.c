/* SPDX-License-Identifier: MIT */
/* Objects beyond TOFT_POOL_SMALL_MAX, each with a record in front of it.
 *
 *     +-------------------- - - -+------------+-------------------- - - -+
 *     | as alignment demands     | toft_large | the object               |
 *     +-------------------- - - -+------------+-------------------- - - -+
 *
 * Their memory comes from large_memory.c. */
#include "base/check.h"
#include "base/list.h"
#include "base/misuse.h"
#include "os/tracking.h"
#include "pool/pool.h"

enum { frees_between_decays = 64 };
static_assert(sizeof(toft_large) <= TOFT_LARGE_OFFSET, "the record would overlap its object");
static_assert(TOFT_LARGE_OFFSET % TOFT_MAP_LARGE_ALIGNMENT == 0, "the map couldn't tell where");

/* 0 for what can't be represented, or an alignment that is no power of two. */
static size_t taken_bytes(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return 0;
    size_t skipped = TOFT_LARGE_OFFSET + (alignment > TOFT_LARGE_MEMORY_ALIGNMENT ? alignment : 0);
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX / 2) return 0;
    return toft_large_taken_bytes(skipped, size);
}

/* Poisons everything around the object, except its record. */
static void track(toft_large *record) {
    char *object = toft_large_object(record);
    char *end = (char *)record->memory + record->bytes;
    toft_track_free(record + 1, (size_t)(object - (char *)(record + 1)));
    toft_track_free(object + record->size, (size_t)(end - object) - record->size);
    toft_track_allocated(object, toft_max(record->size, 1)); /* of size 0: not found freed */
}

/* The record of a new object, or NULL. */
static toft_large *take(toft_pool *pool, size_t bytes, size_t size, size_t alignment,
                        bool for_zeros) {
    toft_large_store *store = &pool->large;
    toft_large taken = {.pool = pool, .size = size}, *record = NULL;
    toft_lock(&store->lock);
    if (toft_large_take_memory(pool, bytes, for_zeros, &taken)) {
        record = toft_large_record(
            (void *)toft_align_up((uintptr_t)taken.memory + TOFT_LARGE_OFFSET, alignment));
        *record = taken;
        record->map_before = toft_map_add_large(toft_large_object(record));
        if (toft_tracking()) track(record);
        if (record->block == NULL) TOFT_LIST_PUSH(store->live, record);
        store->live_bytes += record->bytes;
    }
    toft_large_count(store);
    toft_unlock(&store->lock);
    return record;
}

/* Once more after what is idle in this pool went back, then after what is idle elsewhere in the
   process did. */
static TOFT_COLD toft_large *take_reclaimed(toft_pool *pool, size_t bytes, size_t size,
                                            size_t alignment, bool for_zeros) {
    if (!toft_heap_could_map(pool, bytes)) return NULL;
    toft_pool_trim(pool);
    toft_large *record = take(pool, bytes, size, alignment, for_zeros);
    if (record != NULL || !toft_heap_from_system(&pool->heap) || !toft_reclaim_everything())
        return record;
    return take(pool, bytes, size, alignment, for_zeros);
}

void *toft_large_alloc(toft_pool *pool, size_t size, size_t alignment, bool for_zeros) {
    size_t redzone_bytes = toft_tracking() ? TOFT_REDZONE_BYTES : 0;
    if (size > PTRDIFF_MAX) return NULL;
    size_t bytes = taken_bytes(size + redzone_bytes, alignment);
    if (bytes == 0) return NULL;
    toft_large *record = take(pool, bytes, size, alignment, for_zeros);
    if (TOFT_UNLIKELY(record == NULL))
        record = take_reclaimed(pool, bytes, size, alignment, for_zeros);
    return record == NULL ? NULL : toft_large_object(record);
}

void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size, size_t alignment) {
    return toft_large_alloc(cache->pool, size, alignment, false);
}

void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    toft_large *record = toft_large_find(object);
    if (record == NULL) toft_pool_misuse(pool, object, "freed twice, or never allocated");
    if (record->pool != pool) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    if (record->size != size || !toft_is_aligned(object, alignment))
        toft_pool_misuse(pool, object,
                         "freed with another size or alignment than it was allocated with");
    toft_large_give(record);
}

void toft_large_give(toft_large *record) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    toft_map_remove_large(toft_large_object(record), record->map_before);
    toft_lock(&store->lock);
    TOFT_ASSERT(store->live_bytes >= record->bytes);
    bool decays = record->block == NULL || ++store->frees % frees_between_decays == 0;
    store->live_bytes -= record->bytes;
    if (record->block == NULL) TOFT_LIST_REMOVE(store->live, record);
    toft_large given = *record; /* which lies in the memory itself */
    toft_large_give_memory(pool, &given);
    toft_large_count(store);
    toft_unlock(&store->lock);
    if (decays) toft_pool_decay(pool);
}

/* --- how much is kept --- */

/* What the pool's options say; or so much that a program whose objects replace each other goes on
   with few new pages: half of what is live, or what was given back and soon wanted again. */
size_t toft_large_keep_bytes(const toft_pool *pool) {
    const toft_large_store *store = &pool->large;
    if (pool->heap.keep_bytes != 0) return pool->heap.keep_bytes;
    if (!toft_heap_takes_back(&pool->heap)) return TOFT_POOL_LARGE_BYTES;
    return toft_max(toft_max(TOFT_POOL_LARGE_BYTES, store->live_bytes / 2),
                    toft_idle_wanted_bytes(&store->idle_runs) +
                        toft_idle_wanted_bytes(&store->idle_own));
}

void toft_large_count(toft_large_store *store) {
    TOFT_ASSERT((store->spare == NULL) == (store->spare_bytes == 0));
    store->kept_bytes = store->kept_own_bytes + store->kept_run_bytes + store->runs.dirty_bytes +
                        store->spare_bytes;
    store->kept_low_bytes = toft_min(store->kept_low_bytes, store->kept_bytes);
    toft_idle_note_used(&store->idle_runs, store->live_bytes);
    toft_idle_note_used(&store->idle_own, store->live_bytes);
}
