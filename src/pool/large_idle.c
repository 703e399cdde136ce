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

/* In parts, so that no other thread waits for the lock as long as the system takes for all. */
void toft_large_trim(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    size_t given_bytes = 1, parts = toft_min(bytes, toft_large_kept_bytes(store)) / part_bytes;
    for (; parts != 0 && given_bytes != 0; parts--) {
        toft_lock(&store->lock);
        given_bytes = give_back(pool, part_bytes);
        toft_unlock(&store->lock);
        bytes -= toft_min(given_bytes, bytes);
    }
    toft_lock(&store->lock);
    give_back(pool, bytes);
    toft_unlock(&store->lock);
}

/* --- decay --- */

/* So much of what is owed, or some more. */
static void pay(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    bytes = toft_debt_take(&store->debt_bytes, bytes);
    if (bytes != 0) toft_debt_settle(&store->debt_bytes, bytes, give_back(pool, bytes));
}

void toft_large_decay(toft_pool *pool, unsigned halvings) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    toft_debt_forgive(&store->debt_bytes, store->kept_low_bytes);
    pay(pool, SIZE_MAX);
    toft_debt_set(&store->debt_bytes, toft_decay_share(store->kept_low_bytes, halvings));
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
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    shed_runs(pool);
    toft_debt_forgive(&store->debt_bytes, store->kept_low_bytes);
    pay(pool, part_bytes);
    toft_unlock(&store->lock);
}
