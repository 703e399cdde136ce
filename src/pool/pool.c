/* SPDX-License-Identifier: MIT */
/* The doors: slow paths of allocation, and a pool's life. */
#include "base/bits.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "pool/registry.h"

/* --- slow paths of the inlined functions --- */

/* For a request that found no memory: puts own, and what no running thread needs, into spans. */
static void reclaim(toft_pool *pool, toft_cache *own) {
    if (own != NULL) toft_cache_empty(own);
    toft_drop_orphans(pool);
    toft_depot_trim(pool);
    toft_large_trim(pool);
}

static void *take(toft_cache *cache, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class);
    void *object = *top;
    if (object == NULL) return toft_cache_take(cache, size_class);
    toft_pool_set_top(&cache->fast, size_class, top - 1);
    return object;
}

static void give(toft_cache *cache, void *object, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class) + 1;
    if ((uintptr_t)top % TOFT_POOL_MAGAZINE_BYTES == 0) {
        toft_cache_give(cache, object, size_class);
        return;
    }
    *top = object;
    toft_pool_set_top(&cache->fast, size_class, top);
}

/* The thread's own cache, made if need be, or NULL. */
static toft_cache *own_cache(toft_pool_cache *fast) {
    return fast != &fast->pool->none ? (toft_cache *)fast : toft_thread_cache(fast->pool);
}

static void *take_own_or_common(toft_pool *pool, toft_cache *own, unsigned size_class) {
    if (own != NULL) return take(own, size_class);
    toft_os_lock(&pool->lock);
    void *object = take(&pool->common, size_class);
    toft_os_unlock(&pool->lock);
    return object;
}

void *toft_pool_take_slow(toft_pool_cache *fast, unsigned size_class) {
    toft_pool *pool = fast->pool;
    toft_cache *own = own_cache(fast);
    void *object = take_own_or_common(pool, own, size_class);
    if (object == NULL) {
        reclaim(pool, own);
        object = take_own_or_common(pool, own, size_class);
    }
    if (object != NULL && toft_tracking())
        toft_track_allocated(object, toft_slot_bytes(size_class));
    return object;
}

void toft_pool_give_slow(toft_pool_cache *fast, void *object, unsigned size_class) {
    toft_pool *pool = fast->pool;
    toft_cache *own = own_cache(fast);
    if (toft_tracking()) toft_track_free(object, toft_slot_bytes(size_class));
    if (own != NULL) {
        give(own, object, size_class);
        return;
    }
    toft_os_lock(&pool->lock);
    give(&pool->common, object, size_class);
    toft_os_unlock(&pool->lock);
}

/* --- life --- */

toft_pool *toft_pool_create(const toft_pool_options *options) {
    toft_pool *pool = toft_pool_alloc(toft_pool_shared(), sizeof *pool);
    if (pool == NULL) return NULL;
    *pool = (toft_pool){.name = "unnamed"};
    if (options != NULL) {
        pool->heap.upstream = options->upstream;
        pool->heap.limit_bytes = options->limit_bytes;
        if (options->name != NULL) pool->name = options->name;
    }
    pool->none.pool = pool;
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) pool->none.top[i] = TOFT_NO_MAGAZINE_TOP;
    toft_cache_init(&pool->common, pool);
    toft_registry_add(pool);
    return pool;
}

void toft_pool_destroy(toft_pool *pool) {
    if (pool == NULL) return;
    if (pool == toft_pool_shared()) toft_misuse(pool, "the shared pool can't be destroyed");
    toft_registry_remove(pool);
    toft_large_destroy(pool);
    toft_heap_destroy(pool);
    toft_pool_free(toft_pool_shared(), pool, sizeof *pool);
}

void toft_pool_trim(toft_pool *pool) {
    reclaim(pool, toft_thread_find_cache(pool));
    toft_heap_trim(pool, 0);
}

/* --- statistics --- */

static size_t cached_slots(const toft_cache *cache, unsigned size_class) {
    unsigned depth = toft_magazine_depth(size_class);
    return toft_bin_full_count(&cache->bins[size_class]) * depth +
           toft_magazine_count(toft_pool_top(&cache->fast, size_class), depth);
}

static void add_class(toft_pool *pool, unsigned size_class, toft_pool_stats *stats) {
    size_t cached = 0;
    size_t taken = toft_depot_count(pool, size_class, &cached);
    cached += cached_slots(&pool->common, size_class);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next)
        cached += cached_slots(cache, size_class);
    cached = toft_min(cached, taken);
    stats->cached_bytes += cached * toft_slot_bytes(size_class);
    stats->live_bytes += (taken - cached) * toft_slot_bytes(size_class);
}

toft_pool_stats toft_pool_get_stats(toft_pool *pool) {
    toft_pool_stats stats = {0};
    toft_os_lock(&pool->lock);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) stats.caches++;
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) add_class(pool, i, &stats);
    toft_os_unlock(&pool->lock);

    toft_heap *heap = &pool->heap;
    toft_os_lock(&heap->lock);
    stats.reserved_bytes = heap->reserved_bytes;
    stats.high_water_bytes = heap->high_water_bytes;
    stats.idle_bytes = heap->free_units * TOFT_UNIT_BYTES;
    stats.upstream_allocations = heap->upstream_allocations;
    stats.upstream_frees = heap->upstream_frees;
    toft_os_unlock(&heap->lock);

    toft_os_lock(&pool->large.lock);
    stats.live_bytes += pool->large.live_bytes;
    stats.cached_bytes += pool->large.kept_bytes;
    toft_os_unlock(&pool->large.lock);
    return stats;
}
