/* SPDX-License-Identifier: MIT */
#include "pool/watch.h"

/* So many calls, in one tick of the clock, take as long as a thread may lose in that time. */
enum { busy_calls = 64, busy_ms = 3 };
static_assert(TOFT_POOL_CLASSES < UINT8_MAX, "a class plus one is no byte");

/* Where the user has set how much may lie idle, the rest went back at once. What lies idle is no
   measure then of what could: a few free slots in magazines may keep as many spans from it. */
static size_t possibly_idle_bytes(const toft_pool *pool) {
    if (pool->heap.keep_bytes != 0)
        return __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED);
    return toft_heap_idle_bytes(&pool->heap) + toft_large_kept_bytes(&pool->large);
}

bool toft_watch_is_wanted(toft_pool *pool, const toft_cache *own) {
    const size_t much_bytes = (size_t)2 << 20, many_caches_bytes = (size_t)8 << 20;
    return toft_heap_from_system(&pool->heap) &&
           (possibly_idle_bytes(pool) >= much_bytes ||
            toft_shards_full_bytes_by(pool, own->shard) >= much_bytes ||
            __atomic_load_n(&pool->claimed_bytes, __ATOMIC_RELAXED) >= many_caches_bytes);
}

static void begin(toft_cache *own, unsigned size_class) {
    own->watched_calls = 0;
    if (toft_watch_has(own, size_class)) return;
    toft_owned_enter(&own->lock);
    toft_cache_drop(own, size_class);
    own->watched = (uint8_t)(size_class + 1);
    toft_owned_leave(&own->lock);
}

/* Whether the clock has gone on since the thread's last look. */
static bool is_new_tick(toft_cache *own, uint16_t now_ms) {
    bool is_new = own->looked_at_ms != now_ms;
    own->looked_at_ms = now_ms;
    return is_new;
}

static bool was_busy(const toft_cache *own, uint16_t now_ms) {
    return (uint16_t)(now_ms - own->busy_at_ms) < busy_ms;
}

void toft_watch(toft_pool *pool, toft_cache *own, unsigned size_class) {
    uint64_t now = toft_os_milliseconds();
    uint16_t now_ms = (uint16_t)now;
    toft_pool_decay_all_at(pool, now);
    if (is_new_tick(own, now_ms)) {
        if (own->watched != 0 || !was_busy(own, now_ms)) begin(own, size_class);
    } else if (toft_watch_has(own, size_class) && ++own->watched_calls == busy_calls) {
        own->watched = 0;
        own->busy_at_ms = now_ms;
    }
}

void toft_watch_after_large(toft_pool *pool, toft_cache *own) {
    uint64_t now = toft_os_milliseconds();
    uint16_t now_ms = (uint16_t)now;
    toft_pool_decay_all_at(pool, now);
    if (own->watched == 0 && own->busy_at_ms != now_ms) begin(own, own->exchanged);
    own->looked_at_ms = now_ms;
}
