/* SPDX-License-Identifier: MIT */
/* Memory that comes back by itself: twice a second, a thread that calls the pool gives up half of
 * what was idle since the last step: in the caches of idle threads, in the depots, in the heap,
 * among large objects, and in what destroyed pools left. So a pool that rests for five seconds
 * keeps a thousandth, and one that works keeps what it needs from one moment to the next. There is
 * no thread and no timer. Who calls another pool or an arena gives up the idle memory of all pools
 * that have theirs from the system, a few pools at a time, and of those alone in which something
 * may lie idle: see registry.c and links.h. A process that calls neither keeps what it has. */
#include "base/decay.h"
#include "pool/caches.h"
#include "pool/pool.h"
#include "process/process.h"

bool toft_pool_decay_at(toft_pool *pool, uint64_t now_ms) {
    uint64_t then_ms;
    if (TOFT_LIKELY(!toft_decay_begin_step(&pool->decayed_at_ms, now_ms, &then_ms))) return false;
    bool is_first_look = then_ms == 0;
    if (is_first_look) return false;
    unsigned halvings = toft_decay_halvings(then_ms, now_ms);
    toft_caches_decay(pool, halvings);
    toft_depot_decay(pool, halvings);
    toft_heap_decay(pool, halvings);
    toft_large_decay(pool, halvings);
    toft_pool_balance_step(pool, halvings);
    toft_heap_unmap_left(&pool->heap);
    /* What was in vain then may help now. Relaxed: it is a hint. */
    __atomic_store_n(&pool->gather_at_bytes, 0, __ATOMIC_RELAXED);
    return true;
}

bool toft_pool_keeps_nothing(toft_pool *pool) {
    return toft_caches_keep_nothing(pool) && !toft_shards_keep_any(pool) &&
           toft_heap_idle_bytes(&pool->heap) == 0 && toft_large_kept_bytes(&pool->large) == 0;
}

TOFT_COLD void toft_pool_decay_on_slow(toft_pool *pool) {
    toft_pool_wake(pool);
    if (toft_decay_goes_on()) toft_decay_everything(toft_os_milliseconds());
    if (toft_heap_owes(&pool->heap)) toft_heap_decay_on(pool);
    if (toft_large_owes(&pool->large)) toft_large_decay_on(pool);
    toft_heap_unmap_left(&pool->heap);
}

void toft_pool_decay_all_at(toft_pool *pool, uint64_t now_ms) {
    if (toft_pool_decay_at(pool, now_ms)) toft_decay_everything(now_ms);
}
