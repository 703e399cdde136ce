/* SPDX-License-Identifier: MIT */
/* What a store keeps for the next large objects goes back to the system: all of it at once, or, in
 * steps of decay and where it is more than a bound, in small parts, as heap_idle.c tells. */
#include "base/decay.h"
#include "pool/pool.h"

/* Twice the longest run, so that who frees runs gives back more than that. */
static const size_t part_bytes = 2 * TOFT_RUN_MAX_BYTES;

/* So many bytes, or some more: runs first, since mappings go as a whole. What is kept for the next
   run joins where the rest isn't enough. Returns how many it were. */
static size_t give_back(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    size_t before_bytes = store->kept_bytes;
    if (bytes > store->runs.dirty_bytes + store->kept_own_bytes) toft_large_join_kept_runs(pool);
    if (toft_heap_may_give_back(&pool->heap)) {
        size_t dirty_bytes = store->runs.dirty_bytes, own_bytes = store->kept_own_bytes;
        toft_large_trim_runs(pool, dirty_bytes - toft_min(dirty_bytes, bytes), bytes);
        size_t rest_bytes = bytes - toft_min(bytes, dirty_bytes - store->runs.dirty_bytes);
        toft_large_trim_own(pool, own_bytes - toft_min(own_bytes, rest_bytes));
    }
    toft_large_count(store);
    return before_bytes - store->kept_bytes;
}

void toft_large_trim(toft_pool *pool) {
    toft_lock(&pool->large.lock);
    give_back(pool, SIZE_MAX);
    toft_unlock(&pool->large.lock);
}

/* --- decay --- */

static void set_owed(toft_large_store *store, size_t bytes) {
    __atomic_store_n(&store->owed_bytes, bytes, __ATOMIC_RELAXED);
}

/* So much of what is owed, or some more. */
static void pay(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    bytes = toft_min(bytes, store->owed_bytes);
    if (bytes == 0) return;
    size_t paid_bytes = give_back(pool, bytes);
    if (paid_bytes < bytes) paid_bytes = store->owed_bytes; /* there is no more */
    set_owed(store, store->owed_bytes - toft_min(store->owed_bytes, paid_bytes));
}

/* What was used again meanwhile isn't owed any more. */
static void forgive_reused(toft_large_store *store) {
    set_owed(store, toft_min(store->owed_bytes, toft_decay_share(store->kept_low_bytes, 1)));
}

void toft_large_decay(toft_pool *pool, unsigned halvings) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    forgive_reused(store);
    pay(pool, SIZE_MAX);
    set_owed(store, toft_decay_share(store->kept_low_bytes, halvings));
    bool has_rested = halvings > 1; /* and may soon rest again */
    if (has_rested) pay(pool, SIZE_MAX);
    store->kept_low_bytes = store->kept_bytes;
    toft_idle_step(&store->idle_runs, store->live_bytes, halvings);
    toft_idle_step(&store->idle_own, store->live_bytes, halvings);
    toft_unlock(&store->lock);
}

/* Half of the bound stays, so that the next ones needn't do the same at once. An upstream of a
   user's takes back whole blocks alone, of which there may be none. */
static void shed_runs(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    const toft_runs *runs = &store->runs;
    if (!store->sheds_runs || !toft_heap_may_give_back(&pool->heap)) return;
    size_t keep_bytes = toft_large_keep_bytes(pool) / 2;
    size_t dirty_bytes = runs->dirty_bytes, empty_bytes = runs->empty_bytes;
    toft_large_trim_runs(pool, keep_bytes, part_bytes);
    toft_idle_note_shed(&store->idle_runs, dirty_bytes - runs->dirty_bytes);
    bool has_given = dirty_bytes != runs->dirty_bytes || empty_bytes != runs->empty_bytes;
    size_t left_bytes = toft_max(runs->dirty_bytes, runs->empty_bytes);
    toft_large_set_sheds(store, has_given && left_bytes > keep_bytes);
    toft_large_count(store);
}

void toft_large_decay_on(toft_pool *pool) {
    toft_lock(&pool->large.lock);
    shed_runs(pool);
    forgive_reused(&pool->large);
    pay(pool, part_bytes);
    toft_unlock(&pool->large.lock);
}
