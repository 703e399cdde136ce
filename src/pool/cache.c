/* SPDX-License-Identifier: MIT */
/* A thread's cache beyond the magazine in use: more magazines of its own, then the depot.
 *
 * Each cache has an allowance that its bins claim as they need it. Beyond, what a thread only
 * frees, as a consumer does, goes on to others at once; but when a bin must take from the depot
 * after it has given to it, it was merely too shallow for its thread's own ups and downs: it may
 * then keep as much more. Both come out of a budget that all threads share. */
#include "base/bits.h"
#include "pool/slots.h"

enum { least_widening = 16 /* magazines */, exchanges_per_tidying = 64 };

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

/* Gives back the claim to some magazines, first to the allowance. */
static void narrow(toft_cache *cache, unsigned size_class, unsigned magazines) {
    toft_bin *bin = &cache->bins[size_class];
    size_t bytes = magazines * toft_magazine_bytes(size_class);
    size_t allowed = toft_min(bytes, TOFT_POOL_ALLOWANCE_BYTES - cache->allowance_bytes);
    cache->allowance_bytes += allowed;
    unclaim(cache->fast.pool, bytes - allowed);
    bin->full_max = (uint16_t)(bin->full_max - magazines);
}

void toft_cache_adopt(toft_cache *cache) {
    cache->allowance_bytes =
        claim(cache->fast.pool, TOFT_POOL_ALLOWANCE_BYTES) ? TOFT_POOL_ALLOWANCE_BYTES : 0;
}

/* Hands full magazines of the bin's to the depot. */
static void spill(toft_cache *cache, unsigned size_class, unsigned magazines) {
    toft_bin *bin = &cache->bins[size_class];
    toft_bin_set_full_count(bin, bin->full_count - magazines);
    for (; magazines != 0; magazines--) {
        toft_magazine *full = toft_magazine_pop(&bin->full);
        toft_magazine *empty = toft_depot_spill(cache->fast.pool, full, size_class);
        if (empty != NULL) toft_magazine_push(&bin->empty, empty);
    }
}

static void give_empties(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    for (toft_magazine *empty; (empty = toft_magazine_pop(&bin->empty)) != NULL;)
        toft_depot_give_empty(cache->fast.pool, empty, size_class);
}

/* Now and then, of one bin after the other: gives up half of what it has not used since. */
static void tidy(toft_cache *cache) {
    if (++cache->exchanges % exchanges_per_tidying != 0) return;
    unsigned size_class = cache->exchanges / exchanges_per_tidying % TOFT_POOL_CLASSES;
    toft_bin *bin = &cache->bins[size_class];
    unsigned unused = (bin->full_low + 1U) / 2;
    if (unused != 0) {
        spill(cache, size_class, unused);
        give_empties(cache, size_class);
        narrow(cache, size_class, unused);
    }
    bin->full_low = bin->full_count;
}

/* --- taking --- */

/* The cache's own magazine, empty, of a class that has none left; NULL when out of memory. */
static toft_magazine *own_magazine(toft_cache *cache, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class);
    if (top != TOFT_NO_MAGAZINE_TOP) return toft_magazine_of(top);
    return toft_depot_take_empty(cache->fast.pool, size_class);
}

/* A thread that wants few objects of a class gets few, one that wants many gets a run of
   neighbours. */
static void grow_refill(toft_bin *bin, unsigned size_class) {
    unsigned refill = bin->refill == 0 ? TOFT_REFILL_MIN : 2U * bin->refill;
    bin->refill =
        (uint16_t)toft_min(refill, toft_min(TOFT_REFILL_MAX, toft_magazine_depth(size_class)));
}

void *toft_cache_take(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    tidy(cache);
    toft_magazine *empty = own_magazine(cache, size_class);
    if (empty == NULL) return toft_slot_take(cache->fast.pool, size_class);
    void **top;
    if (bin->full != NULL) {
        top = toft_magazine_full_top(toft_magazine_pop(&bin->full));
        toft_bin_set_full_count(bin, bin->full_count - 1U);
        bin->full_low = (uint16_t)toft_min(bin->full_low, bin->full_count);
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

/* Puts a full magazine away: into the bin, if that may keep one more, else into the depot. Returns
   an empty one, or NULL when out of memory. */
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
    tidy(cache);
    void **top = toft_pool_top(&cache->fast, size_class);
    toft_magazine *empty = NULL;
    if (top != TOFT_NO_MAGAZINE_TOP) empty = put_away(cache, toft_magazine_of(top), size_class);
    if (empty == NULL) empty = toft_depot_take_empty(pool, size_class);
    if (empty == NULL) {
        toft_pool_set_top(&cache->fast, size_class, TOFT_NO_MAGAZINE_TOP);
        toft_slot_give(pool, object, size_class);
        return;
    }
    top = toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) + 1;
    *top = object;
    toft_pool_set_top(&cache->fast, size_class, top);
}

/* --- ends --- */

static void retire_bin(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_depot_disown(cache->fast.pool, size_class, bin);
    spill(cache, size_class, bin->full_count);
    give_empties(cache, size_class);
    bin->full_low = 0;
}

void toft_cache_retire(toft_cache *cache) {
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) {
        retire_bin(cache, i);
        narrow(cache, i, cache->bins[i].full_max);
        cache->bins[i].spilled = 0;
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
