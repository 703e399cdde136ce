/* SPDX-License-Identifier: MIT */
/* Large objects that are found by their address, and that get another size. */
#include "os/tracking.h"
#include "pool/cache_runs.h"
#include "pool/caches.h"
#include "pool/large_kept.h"
#include "pool/map.h"

toft_large *toft_large_find(const void *object) {
    return toft_map_has_large(object) ? toft_large_record(object) : NULL;
}

size_t toft_large_usable_bytes(const toft_large *record) {
    size_t offset =
        (size_t)((const char *)record - (const char *)record->memory) + TOFT_LARGE_OFFSET;
    return toft_tracking() ? record->size : record->bytes - offset;
}

/* Grows into what is kept right behind it. False where that isn't enough; the mapping may be longer
   then, too. The store's lock is held. */
static bool grow_into_room(toft_large *record, size_t bytes) {
    toft_large_store *store = &record->pool->large;
    size_t old_bytes = record->bytes;
    toft_large_take_room(record->pool, record);
    if (record->bytes > bytes) toft_large_leave_room(record->pool, record, bytes);
    store->live_bytes += record->bytes - old_bytes;
    toft_idle_note_reused(&store->idle_own, record->bytes - old_bytes);
    return record->bytes >= bytes;
}

/* To copy what it holds costs less than the page faults of half as many fresh bytes. */
static bool is_better_copied(const toft_large *record, size_t bytes) {
    return (bytes - record->bytes) * 2 > record->size &&
           toft_kept_serves(&record->pool->large, bytes);
}

/* A mapping of its own gets other bytes; the store's lock is held. */
static toft_large *remap(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    if (bytes > record->bytes) {
        if (grow_into_room(record, bytes)) return record;
        if (is_better_copied(record, bytes)) return NULL;
    }
    size_t old_bytes = record->bytes;
    size_t offset = (size_t)((char *)record - (char *)record->memory);
    toft_large_unlist_live(record);
    void *memory = toft_large_remap_own(pool, record, bytes);
    toft_large *moved = record;
    if (memory != NULL) {
        moved = (toft_large *)(void *)((char *)memory + offset);
        moved->memory = memory;
        moved->bytes = bytes;
        store->live_bytes += bytes - old_bytes;
    }
    toft_large_list_live(moved);
    return memory == NULL ? NULL : moved;
}

/* Its pages may move only where the map can follow, and where no alignment beyond the page could be
   lost. */
static toft_large *remap_and_tell(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    bool may_move = (char *)record == record->memory;
    if (!toft_heap_from_system(&pool->heap) || bytes <= TOFT_RUN_MAX_BYTES ||
        (bytes > record->bytes && !may_move))
        return NULL;
    const void *object = toft_large_object(record);
    toft_lock(&pool->large.lock);
    toft_map_remove_large(object, record->map_before);
    toft_large *moved = remap(record, bytes);
    if (moved == NULL)
        record->map_before = toft_map_add_large(object);
    else
        moved->map_before = toft_map_add_large(toft_large_object(moved));
    toft_large_count(&pool->large);
    toft_unlock(&pool->large.lock);
    return moved;
}

static bool lengthen_in_store(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    size_t old_bytes = record->bytes;
    bool longer = toft_runs_lengthen(&store->runs, record->block, record->memory, old_bytes, bytes);
    if (!longer && store->kept_run_bytes != 0) {
        toft_large_join_kept_runs(pool);
        longer = toft_runs_lengthen(&store->runs, record->block, record->memory, old_bytes, bytes);
    }
    if (longer) {
        record->bytes = bytes;
        store->live_bytes += bytes - old_bytes;
    }
    toft_large_count(store);
    toft_unlock(&store->lock);
    return longer;
}

/* What lies behind it may be free, or kept, in the store or by the thread. A run isn't shortened:
   to copy a shorter object is little work. */
static toft_large *lengthen_run(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    if (bytes < record->bytes || bytes > TOFT_RUN_MAX_BYTES) return NULL;
    if (lengthen_in_store(record, bytes)) return record;
    toft_cache *cache = toft_made_cache(toft_pool_current_cache(pool));
    if (cache == NULL || !toft_cache_join_runs(cache)) return NULL;
    return lengthen_in_store(record, bytes) ? record : NULL;
}

static toft_large *with_bytes(toft_large *record, size_t bytes) {
    return record->block != NULL ? lengthen_run(record, bytes) : remap_and_tell(record, bytes);
}

void *toft_large_resize(toft_large *record, size_t size) {
    toft_pool *pool = record->pool;
    size_t usable_bytes = toft_large_usable_bytes(record);
    size_t offset = record->bytes - usable_bytes;
    if (toft_tracking() || size > PTRDIFF_MAX) return NULL;
    toft_heap_unmap_left(&pool->heap); /* whose addresses may be needed */
    if (size > usable_bytes || size < usable_bytes / 2)
        record = with_bytes(record, toft_large_taken_bytes(offset, size));
    if (record == NULL) return NULL;
    toft_heap_unmap_left(&pool->heap);
    toft_pool_wake(pool);
    record->size = size;
    return toft_large_object(record);
}
