/* SPDX-License-Identifier: MIT */
/* The depot of a class: its shards' magazines, and its spans. */
#include "base/check.h"
#include "pool/slots.h"

enum { own_slot_bytes_max = 256 }; /* beyond, a refill is far longer than an OS page */

static void free_magazine(toft_pool *pool, toft_magazine *magazine) {
    toft_record_give(pool, magazine, TOFT_MAGAZINE_CLASS);
}

toft_magazine *toft_depot_take_empty(toft_pool *pool, unsigned shard, unsigned size_class) {
    toft_magazine *empty = toft_shard_take_empty(pool, shard, size_class);
    if (empty != NULL) return empty;
    empty = toft_record_take(pool, TOFT_MAGAZINE_CLASS);
    if (empty != NULL) *toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) = NULL;
    return empty;
}

void toft_depot_give_empty(toft_pool *pool, unsigned shard, toft_magazine *empty,
                           unsigned size_class) {
    if (!toft_shard_give_empty(pool, shard, size_class, empty)) free_magazine(pool, empty);
}

/* --- the exchange with caches --- */

/* Another thread has written the magazine, so that it is in that one's cache: to fetch all of its
   lines at once takes no longer than to fetch the first. */
static void prefetch(const toft_magazine *magazine) {
    for (size_t line = 0; line < TOFT_POOL_MAGAZINE_BYTES; line += 64)
        __builtin_prefetch((const char *)magazine + line);
}

/* Puts fresh slots into an empty magazine. Returns its top. */
static void **fill(toft_pool *pool, toft_magazine *empty, unsigned size_class, toft_bin *bin,
                   toft_growth growth) {
    size_t slot_bytes = toft_slot_bytes(size_class);
    void **base = toft_magazine_empty_top(empty, toft_magazine_depth(size_class));
    bool own = bin->refill == TOFT_REFILL_MAX && slot_bytes <= own_slot_bytes_max;
    TOFT_ASSERT(*base == NULL);
    unsigned taken = toft_slots_take(pool, size_class, own ? bin : NULL, bin->refill, base, growth);
    TOFT_ASSERT(taken <= toft_magazine_depth(size_class));
    if (slot_bytes > own_slot_bytes_max)
        for (unsigned i = 1; i <= taken; i++) __builtin_prefetch(base[i], 1);
    return base + taken;
}

void **toft_depot_refill(toft_pool *pool, toft_cache *cache, toft_magazine *empty,
                         unsigned size_class, toft_growth growth) {
    toft_magazine *full = toft_shards_take_full(pool, cache, size_class, &empty);
    if (full == NULL) return fill(pool, empty, size_class, &cache->bins[size_class], growth);
    if (empty != NULL) free_magazine(pool, empty);
    prefetch(full);
    return toft_magazine_full_top(full);
}

void toft_depot_disown(toft_pool *pool, unsigned size_class, toft_bin *bin) {
    toft_depot_lock(pool, size_class);
    toft_slots_disown(pool, bin);
    toft_depot_unlock(pool, size_class);
}

void toft_depot_give_slots(toft_pool *pool, void **top, unsigned size_class) {
    toft_depot_lock(pool, size_class);
    toft_slots_give(pool, top, size_class);
    toft_depot_unlock(pool, size_class);
}

/* Where the shard has no room the magazine itself is emptied, and is the empty one to return. */
toft_magazine *toft_depot_spill(toft_pool *pool, unsigned shard, toft_magazine *full,
                                unsigned size_class) {
    toft_magazine *empty = NULL;
    if (toft_shard_give_full(pool, shard, size_class, full, &empty)) return empty;
    toft_depot_give_slots(pool, toft_magazine_full_top(full), size_class);
    return full;
}

/* --- all magazines: a fork finds none on its way, since the pool's lock is held meanwhile, or that
   of the cache that gathers --- */

static void put_into_spans(toft_pool *pool, toft_magazine *list, unsigned size_class) {
    for (toft_magazine *full; (full = toft_magazine_pop(&list)) != NULL;) {
        toft_depot_give_slots(pool, toft_magazine_full_top(full), size_class);
        free_magazine(pool, full);
    }
}

void toft_depot_gather(toft_pool *pool, unsigned shard) {
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++)
        put_into_spans(pool, toft_shard_take_all_full(pool, shard, i, NULL), i);
}

void toft_depot_trim(toft_pool *pool) {
    toft_lock(&pool->lock);
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        put_into_spans(pool, toft_shards_take_all_full(pool, size_class), size_class);
        toft_magazine *empty = toft_shards_take_all_empty(pool, size_class);
        for (toft_magazine *freed; (freed = toft_magazine_pop(&empty)) != NULL;)
            free_magazine(pool, freed);
    }
    toft_unlock(&pool->lock);
}

void toft_depot_decay(toft_pool *pool, unsigned halvings) {
    if (!toft_shards_keep_any(pool)) return;
    toft_lock(&pool->lock);
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++)
        put_into_spans(pool, toft_shards_decay(pool, i, halvings), i);
    toft_unlock(&pool->lock);
}

size_t toft_depots_taken_bytes(const toft_pool *pool) {
    size_t bytes = 0;
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++)
        bytes +=
            __atomic_load_n(&pool->depots[i].taken_slots, __ATOMIC_RELAXED) * toft_slot_bytes(i);
    return bytes;
}

size_t toft_depot_count(toft_pool *pool, unsigned size_class, size_t *cached_slots) {
    toft_depot *depot = &pool->depots[size_class];
    toft_depot_lock(pool, size_class);
    size_t internal = __atomic_load_n(&depot->internal_slots, __ATOMIC_RELAXED);
    size_t taken = depot->taken_slots - internal;
    toft_depot_unlock(pool, size_class);
    *cached_slots = toft_shards_count_full(pool, size_class) * toft_magazine_depth(size_class);
    return taken;
}
