/* SPDX-License-Identifier: MIT */
/* The doors: slow paths of allocation, and a pool's life. */
#include <string.h>

#include "base/bits.h"
#include "base/misuse.h"
#include "os/tracking.h"
#include "pool/cache_runs.h"
#include "pool/caches.h"
#include "pool/checked.h"
#include "pool/registry.h"
#include "pool/segments.h"
#include "pool/watch.h"

/* --- slow paths of the inlined functions --- */

/* For a request that found no memory: puts all that is idle into spans. */
static void reclaim(toft_pool *pool) {
    toft_caches_reclaim(pool);
    toft_quarantine_empty(pool);
    toft_depot_trim(pool);
    toft_large_trim(pool, SIZE_MAX);
    toft_heap_unmap_left(&pool->heap);
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

static void *take_once(toft_pool *pool, toft_cache *own, unsigned size_class) {
    void *object;
    if (own != NULL) {
        toft_owned_enter(&own->lock);
        object = toft_cache_pop(own, size_class);
        toft_owned_leave(&own->lock);
    } else {
        toft_lock(&pool->lock);
        object = toft_pool_is_checked(pool) ? toft_checked_take(pool, size_class)
                                            : toft_cache_pop(&pool->common, size_class);
        toft_unlock(&pool->lock);
    }
    return object;
}

/* Not at each exchange, since to look at the clock costs as much as to allocate some objects; but
   while much lies idle. */
static void look_at_clock(toft_pool *pool, toft_cache *own, unsigned size_class) {
    own->exchanged = (uint8_t)size_class;
    if (toft_watch_is_wanted(pool, own)) {
        toft_watch(pool, own, size_class);
        return;
    }
    own->watched = 0;
    if (own->exchanges % 32 == 0) toft_pool_decay(pool);
}

static void decay_now_and_then(toft_pool *pool, toft_cache *own, unsigned size_class) {
    if (own != NULL)
        look_at_clock(pool, own, size_class);
    else if (toft_cache_exchanges(&pool->common) % 32 == 0)
        toft_pool_decay(pool);
    if (TOFT_UNLIKELY(toft_pool_owes(pool))) toft_pool_decay_on_slow(pool);
}

/* Takes a slot once more after what is idle in this pool was put into spans, and again after what
   is idle elsewhere in the process was given back to the system. */
static TOFT_COLD void *take_reclaimed(toft_pool *pool, toft_cache *own, unsigned size_class) {
    reclaim(pool);
    void *object = take_once(pool, own, size_class);
    if (object != NULL || !toft_heap_reclaim_everything(pool, TOFT_SEGMENT_BYTES)) return object;
    return take_once(pool, own, size_class);
}

void *toft_pool_take_slow(toft_pool_cache *fast, unsigned size_class, size_t size) {
    toft_pool *pool = fast->pool;
    if (toft_tracking()) return toft_tracked_take(pool, size_class, size);
    toft_cache *own = toft_own_cache(fast);
    void *object = take_once(pool, own, size_class);
    decay_now_and_then(pool, own, size_class);
    toft_pool_balance(pool);
    toft_heap_unmap_left(&pool->heap);
    if (TOFT_UNLIKELY(object == NULL)) object = take_reclaimed(pool, own, size_class);
    toft_pool_tell_misuse(pool);
    return object;
}

void toft_pool_give_slow(toft_pool_cache *fast, void *object, unsigned size_class, size_t size) {
    toft_pool *pool = fast->pool;
    if (toft_tracking()) {
        toft_tracked_give(pool, object, size_class, size);
        return;
    }
    toft_cache *own = toft_own_cache(fast);
    if (own != NULL) {
        toft_owned_enter(&own->lock);
        give(own, object, size_class);
        toft_owned_leave(&own->lock);
        decay_now_and_then(pool, own, size_class);
    } else {
        toft_lock(&pool->lock);
        if (toft_pool_is_checked(pool))
            toft_checked_give(pool, object, size_class);
        else
            give(&pool->common, object, size_class);
        toft_unlock(&pool->lock);
        toft_pool_wake(pool);
    }
    toft_heap_unmap_left(&pool->heap);
    toft_pool_tell_misuse(pool);
}

/* --- life --- */

/* NULL for the system; an upstream that is all zero means the system too. */
static const toft_upstream *upstream_of(const toft_pool_options *options) {
    const toft_upstream *upstream = options->upstream;
    if (upstream == NULL || upstream->allocate != NULL) return upstream;
    if (upstream->free != NULL || upstream->context != NULL)
        toft_misuse(upstream, "the upstream in a pool's options has no allocate");
    return NULL;
}

/* A fork waits for such a call with the registry locked, a thread that ends with its lock of
   removals. */
static bool is_in_upstream(void) { return TOFT_UNLIKELY(toft_this_thread->in_upstream != 0); }

toft_pool *toft_pool_create(const toft_pool_options *options) {
    if (is_in_upstream()) toft_misuse(options, "a pool was created in a call of a pool's upstream");
    toft_pool *pool = toft_pool_alloc(toft_pool_shared(), sizeof *pool);
    if (pool == NULL) return NULL;
    memset(pool, 0, sizeof *pool); /* a literal would be made on the stack first, without -O */
    pool->name = "unnamed";
    if (options != NULL) {
        pool->heap.upstream = upstream_of(options);
        pool->heap.limit_bytes = options->limit_bytes;
        pool->heap.keep_bytes = options->keep_bytes;
        if (options->name != NULL) pool->name = options->name;
    }
    pool->none.pool = pool;
    pool->none.no_class = TOFT_NO_MAGAZINE_TOP;
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) pool->none.top[i] = TOFT_NO_MAGAZINE_TOP;
    toft_cache_init(&pool->common, pool);
    toft_registry_add(pool);
    return pool;
}

void toft_pool_destroy(toft_pool *pool) {
    if (pool == NULL) return;
    if (pool == toft_pool_shared()) toft_pool_misuse(pool, pool, "it can't be destroyed");
    if (is_in_upstream()) toft_pool_misuse(pool, pool, "destroyed in a call of a pool's upstream");
    if (!toft_registry_remove(pool))
        toft_misuse(pool, "this pool was destroyed already, or never created");
    toft_large_destroy(pool);
    toft_heap_destroy(pool);
    toft_pool_free(toft_pool_shared(), pool, sizeof *pool);
    toft_segments_decay(toft_os_milliseconds());
}

void toft_pool_give_idle_back(toft_pool *pool) {
    reclaim(pool);
    toft_heap_trim(pool, 0);
}

void toft_pool_trim(toft_pool *pool) {
    toft_pool_give_idle_back(pool);
    if (toft_heap_from_system(&pool->heap)) toft_segments_trim();
    toft_pool_tell_misuse(pool);
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
    cached = toft_min(cached + toft_quarantine_count(pool, size_class), taken);
    stats->cached_bytes += cached * toft_slot_bytes(size_class);
    stats->live_bytes += (taken - cached) * toft_slot_bytes(size_class);
}

toft_pool_stats toft_pool_get_stats(toft_pool *pool) {
    toft_pool_stats stats = {.name = pool->name};
    size_t run_bytes = 0;
    toft_lock(&pool->lock);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) {
        stats.caches++;
        run_bytes += toft_cache_run_bytes(cache);
    }
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) add_class(pool, i, &stats);
    toft_unlock(&pool->lock);

    toft_heap *heap = &pool->heap;
    toft_lock(&heap->lock);
    stats.reserved_bytes = heap->reserved_bytes;
    stats.high_water_bytes = heap->high_water_bytes;
    stats.idle_bytes = heap->dirty_units * TOFT_UNIT_BYTES;
    stats.upstream_allocations = heap->upstream_allocations;
    stats.upstream_frees = heap->upstream_frees;
    toft_unlock(&heap->lock);

    toft_lock(&pool->large.lock);
    run_bytes = toft_min(run_bytes, pool->large.live_bytes); /* which has changed since, perhaps */
    stats.live_bytes += pool->large.live_bytes - run_bytes;
    stats.cached_bytes += pool->large.kept_bytes + run_bytes;
    toft_unlock(&pool->large.lock);
    return stats;
}
