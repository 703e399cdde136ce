/* SPDX-License-Identifier: MIT */
/* Memory that comes back by itself: twice a second, a thread that calls the pool gives up half of
 * what was idle since the last step: in the caches of idle threads, in the depots, in the heap, and
 * among large objects. So a pool that rests for five seconds keeps a thousandth, and one
 * that works keeps what it needs from one moment to the next. There is no thread and no timer: a
 * pool that nobody calls keeps what it has until toft_trim. */
#include "base/decay.h"
#include "pool/caches.h"
#include "pool/pool.h"

void toft_pool_decay(toft_pool *pool) {
    uint64_t now_ms = toft_os_milliseconds();
    uint64_t then_ms = __atomic_load_n(&pool->decayed_at_ms, __ATOMIC_RELAXED);
    if (TOFT_LIKELY(now_ms < then_ms + toft_decay_step_ms)) return;
    /* Relaxed: it only chooses one thread; what that one does is under locks. */
    if (!__atomic_compare_exchange_n(&pool->decayed_at_ms, &then_ms, now_ms, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    unsigned halvings = toft_decay_halvings(then_ms, now_ms);
    toft_caches_decay(pool, halvings);
    toft_depot_decay(pool, halvings);
    toft_heap_decay(pool, halvings);
    toft_large_decay(pool, halvings);
}
