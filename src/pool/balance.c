/* SPDX-License-Identifier: MIT */
/* Small objects and large ones may each keep as much as they had in use lately. But where a program
 * does one thing with small objects and the next with large ones, both together would keep more
 * than it ever used at once: beyond a part of that, what lies idle gives way to what grows. */
#include "pool/pool.h"

typedef struct memory {
    size_t used_bytes;
    size_t high_bytes; /* the most that was in use until lately, as far as anybody looked */
    size_t idle_small_bytes;
    size_t idle_large_bytes;
} memory;

/* Under a lock each, and so almost at the same moment; and notes what is in use. */
static memory count(toft_pool *pool) {
    toft_lock(&pool->large.lock);
    memory counted = {.used_bytes = pool->large.live_bytes,
                      .high_bytes = toft_high_bytes(&pool->large.idle_own.high),
                      .idle_large_bytes = pool->large.kept_bytes};
    toft_unlock(&pool->large.lock);
    toft_lock(&pool->heap.lock);
    counted.used_bytes += toft_heap_used_bytes(&pool->heap);
    toft_high_note(&pool->high, counted.used_bytes);
    counted.high_bytes = toft_max(counted.high_bytes, toft_high_bytes(&pool->heap.idle.high));
    counted.high_bytes = toft_max(counted.high_bytes, toft_high_bytes(&pool->high));
    counted.idle_small_bytes = toft_heap_idle_bytes(&pool->heap);
    toft_unlock(&pool->heap.lock);
    return counted;
}

/* In parts of twice what grew, so that none takes long. What grows finds nothing idle of its own
   kind, or little: the other has more. */
TOFT_COLD void toft_pool_balance_slow(toft_pool *pool) {
    size_t grown_bytes = __atomic_exchange_n(&pool->heap.grown_bytes, 0, __ATOMIC_RELAXED);
    if (pool->heap.keep_bytes != 0 || !toft_heap_from_system(&pool->heap)) return;
    memory now = count(pool);
    size_t beside_bytes = toft_max(now.high_bytes / 4, TOFT_POOL_IDLE_BESIDE_BYTES);
    size_t bound_bytes = now.high_bytes + beside_bytes;
    size_t held_bytes = now.used_bytes + now.idle_small_bytes + now.idle_large_bytes;
    if (held_bytes <= bound_bytes) return;
    size_t bytes = toft_min(held_bytes - bound_bytes, 2 * grown_bytes);
    if (now.idle_large_bytes >= now.idle_small_bytes)
        toft_large_trim(pool, bytes);
    else
        toft_heap_trim(pool, now.idle_small_bytes - toft_min(now.idle_small_bytes, bytes));
}

void toft_pool_balance_step(toft_pool *pool, unsigned halvings) {
    memory now = count(pool);
    toft_lock(&pool->heap.lock);
    toft_high_step(&pool->high, now.used_bytes, halvings);
    toft_unlock(&pool->heap.lock);
}
