/* SPDX-License-Identifier: MIT */
/* A thread's cache beyond the magazine in use: more magazines of its own, then the depot.
 *
 * Each cache has an allowance that its bins claim as they need it. Beyond, what a thread only frees, as
 * a consumer does, goes on to others at once; but when a bin must take from the depot after it has
 * given to it, it was merely too shallow for its thread's own ups and downs: it may then keep as much
 * more. Both come out of a budget that all threads share. */
#include "base/bits.h"
#include "pool/pool.h"

enum { least_widening = 16 }; /* magazines */

void toft_cache_init(toft_cache *cache, toft_pool *pool) {
    *cache = (toft_cache){.fast.pool = pool};
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) cache->fast.top[i] = TOFT_NO_MAGAZINE_TOP;
}

/* --- how many magazines a bin may keep --- */

static bool claim(toft_pool *pool, size_t bytes) {
    size_t claimed = __atomic_add_fetch(&pool->spare_bytes, bytes, __ATOMIC_RELAXED);
    if (claimed <= TOFT_POOL_SPARE_BYTES) return true;
    __atomic_fetch_sub(&pool->spare_bytes, bytes, __ATOMIC_RELAXED);
    return false;
}

static void unclaim(toft_pool *pool, size_t bytes) {
    __atomic_fetch_sub(&pool->spare_bytes, bytes, __ATOMIC_RELAXED);
}

static bool claim_one(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    size_t bytes = toft_magazine_bytes(size_class);
    if (cache->allowance_bytes < bytes || bin->full_max == UINT16_MAX) return false;
    cache->allowance_bytes -= bytes;
    bin->full_max++;
    return true;
}

static void widen(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    size_t more = toft_min(bin->spilled, toft_max(bin->full_max, least_widening));
    bin->spilled = 0;
    if (more > UINT16_MAX - (size_t)bin->full_max) return;
    if (claim(cache->fast.pool, more * toft_magazine_bytes(size_class)))
        bin->full_max = (uint16_t)(bin->full_max + more);
}

static void narrow(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    unclaim(cache->fast.pool, bin->full_max * toft_magazine_bytes(size_class));
    bin->full_max = 0;
    bin->spilled = 0;
}

void toft_cache_adopt(toft_cache *cache) {
    cache->allowance_bytes =
        claim(cache->fast.pool, TOFT_POOL_ALLOWANCE_BYTES) ? TOFT_POOL_ALLOWANCE_BYTES : 0;
}

/* --- taking --- */

/* The cache's own magazine, empty, of a class that has none left; NULL when out of memory. */
static toft_magazine *own_magazine(toft_cache *cache, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class);
    if (top != TOFT_NO_MAGAZINE_TOP) return toft_magazine_of(top);
    return toft_depot_take_empty(cache->fast.pool, size_class);
}

/* A thread that wants few objects of a class gets few, one that wants many gets a run of neighbours. */
static void grow_refill(toft_bin *bin, unsigned size_class) {
    unsigned refill = bin->refill == 0 ? TOFT_REFILL_MIN : 2U * bin->refill;
    bin->refill =
        (uint16_t)toft_min(refill, toft_min(TOFT_REFILL_MAX, toft_magazine_depth(size_class)));
}

void *toft_cache_take(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_magazine *empty = own_magazine(cache, size_class);
    if (empty == NULL) return toft_depot_take_slot(cache->fast.pool, size_class);
    void **top;
    if (bin->full != NULL) {
        top = toft_magazine_full_top(toft_magazine_pop(&bin->full));
        toft_bin_set_full_count(bin, bin->full_count - 1U);
        toft_magazine_push(&bin->empty, empty);
    } else {
        if (bin->spilled != 0) widen(cache, size_class);
        grow_refill(bin, size_class);
        top = toft_depot_refill(cache->fast.pool, empty, size_class, bin);
    }
    void *object = *top;
    toft_pool_set_top(&cache->fast, size_class, object == NULL ? top : top - 1);
    return object;
}

/* --- giving --- */

/* Puts a full magazine away: into the bin, if that may keep one more, else into the depot. Returns an empty
   one, or NULL when out of memory. */
static toft_magazine *put_away(toft_cache *cache, toft_magazine *full, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_magazine *empty = toft_magazine_pop(&bin->empty);
    if (bin->full_count < bin->full_max || claim_one(cache, size_class)) {
        toft_bin_set_full_count(bin, bin->full_count + 1U);
        toft_magazine_push(&bin->full, full);
    } else {
        if (bin->spilled < UINT16_MAX) bin->spilled++;
        toft_magazine *other = toft_depot_spill(cache->fast.pool, full, size_class);
        if (empty == NULL) return other;
        if (other != NULL) toft_magazine_push(&bin->empty, other);
    }
    return empty;
}

void toft_cache_give(toft_cache *cache, void *object, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    void **top = toft_pool_top(&cache->fast, size_class);
    toft_magazine *empty = NULL;
    if (top != TOFT_NO_MAGAZINE_TOP) empty = put_away(cache, toft_magazine_of(top), size_class);
    if (empty == NULL) empty = toft_depot_take_empty(pool, size_class);
    if (empty == NULL) {
        toft_pool_set_top(&cache->fast, size_class, TOFT_NO_MAGAZINE_TOP);
        toft_depot_give_slot(pool, object, size_class);
        return;
    }
    top = toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) + 1;
    *top = object;
    toft_pool_set_top(&cache->fast, size_class, top);
}

/* --- ends --- */

static void retire_bin(toft_cache *cache, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    toft_bin *bin = &cache->bins[size_class];
    toft_depot_disown(pool, size_class, bin);
    toft_bin_set_full_count(bin, 0);
    for (toft_magazine *full; (full = toft_magazine_pop(&bin->full)) != NULL;) {
        toft_magazine *empty = toft_depot_spill(pool, full, size_class);
        if (empty != NULL) toft_magazine_push(&bin->empty, empty);
    }
    for (toft_magazine *empty; (empty = toft_magazine_pop(&bin->empty)) != NULL;)
        toft_depot_give_empty(pool, empty, size_class);
}

void toft_cache_retire(toft_cache *cache) {
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) {
        narrow(cache, i);
        retire_bin(cache, i);
    }
    unclaim(cache->fast.pool, cache->allowance_bytes);
    cache->allowance_bytes = 0;
}

void toft_cache_empty(toft_cache *cache) {
    toft_pool *pool = cache->fast.pool;
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) {
        retire_bin(cache, i);
        void **top = toft_pool_top(&cache->fast, i);
        if (top == TOFT_NO_MAGAZINE_TOP) continue;
        toft_pool_set_top(&cache->fast, i, TOFT_NO_MAGAZINE_TOP);
        toft_depot_give_slots(pool, top, i);
        toft_depot_give_empty(pool, toft_magazine_of(top), i);
    }
}
