/* SPDX-License-Identifier: MIT */
/* The depot of a class: full magazines on their way from one thread to another. */
#include "base/check.h"
#include "base/decay.h"
#include "pool/slots.h"

enum {
    empty_magazines_max = 64,
    own_slot_bytes_max = 256, /* beyond, a refill is far longer than an OS page */
};

static bool is_full(toft_magazine *magazine, unsigned size_class) {
    void **base = toft_magazine_empty_top(magazine, toft_magazine_depth(size_class));
    return *base == NULL && *toft_magazine_full_top(magazine) != NULL;
}

/* The lists are as long as is counted. The depot's lock is held. */
static bool is_sound(const toft_pool *pool, unsigned size_class) {
    const toft_depot *depot = &pool->depots[size_class];
    size_t full_count = 0, empty_count = 0;
    for (toft_magazine *full = depot->full; full != NULL; full = full->next) {
        if (!is_full(full, size_class)) return false;
        full_count++;
    }
    for (const toft_magazine *empty = depot->empty; empty != NULL; empty = empty->next)
        empty_count++;
    return full_count == depot->full_count && full_count <= TOFT_POOL_DEPOT_MAGAZINES &&
           empty_count == depot->empty_count && empty_count <= empty_magazines_max &&
           depot->full_low <= full_count &&
           depot->taken_slots >= full_count * toft_magazine_depth(size_class) &&
           (depot->spans == NULL || (depot->spans->prev == NULL && !depot->spans->owned));
}

static void push_full(toft_pool *pool, toft_magazine *full, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    TOFT_ASSERT(is_full(full, size_class));
    toft_magazine_push(&depot->full, full);
    __atomic_store_n(&depot->full_count, depot->full_count + 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pool->depot_bytes, toft_magazine_bytes(size_class), __ATOMIC_RELAXED);
}

static toft_magazine *pop_full(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_magazine *full = toft_magazine_pop(&depot->full);
    if (full == NULL) return NULL;
    __atomic_store_n(&depot->full_count, depot->full_count - 1, __ATOMIC_RELAXED);
    depot->full_low = toft_min(depot->full_low, depot->full_count);
    __atomic_fetch_sub(&pool->depot_bytes, toft_magazine_bytes(size_class), __ATOMIC_RELAXED);
    return full;
}

/* False where there are enough: the caller gives it back then, when it has left the lock. */
static bool push_empty(toft_depot *depot, toft_magazine *empty) {
    if (depot->empty_count == empty_magazines_max) return false;
    depot->empty_count++;
    toft_magazine_push(&depot->empty, empty);
    return true;
}

static toft_magazine *pop_empty(toft_depot *depot) {
    if (depot->empty != NULL) depot->empty_count--;
    return toft_magazine_pop(&depot->empty);
}

static void free_magazine(toft_pool *pool, toft_magazine *magazine) {
    toft_record_give(pool, magazine, TOFT_MAGAZINE_CLASS);
}

toft_magazine *toft_depot_take_empty(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_depot_lock(pool, size_class);
    toft_magazine *empty = pop_empty(depot);
    toft_depot_unlock(pool, size_class);
    if (empty != NULL) return empty;
    empty = toft_record_take(pool, TOFT_MAGAZINE_CLASS);
    if (empty != NULL) *toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) = NULL;
    return empty;
}

void toft_depot_give_empty(toft_pool *pool, toft_magazine *empty, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_depot_lock(pool, size_class);
    bool pushed = push_empty(depot, empty);
    toft_depot_unlock(pool, size_class);
    if (!pushed) free_magazine(pool, empty);
}

/* --- the exchange with caches --- */

/* Another thread has written the magazine, so that it is in that one's cache: to fetch all of its
   lines at once takes no longer than to fetch the first. */
static void prefetch(const toft_magazine *magazine) {
    for (size_t line = 0; line < TOFT_POOL_MAGAZINE_BYTES; line += 64)
        __builtin_prefetch((const char *)magazine + line);
}

void **toft_depot_refill(toft_pool *pool, toft_magazine *empty, unsigned size_class,
                         toft_bin *bin) {
    toft_depot *depot = &pool->depots[size_class];
    void **base = toft_magazine_empty_top(empty, toft_magazine_depth(size_class));
    bool own = bin->refill == TOFT_REFILL_MAX && toft_slot_bytes(size_class) <= own_slot_bytes_max;
    unsigned taken = 0;
    TOFT_ASSERT(*base == NULL);
    toft_depot_lock(pool, size_class);
    TOFT_ASSERT(is_sound(pool, size_class));
    toft_magazine *full = pop_full(pool, size_class);
    bool pushed = full == NULL || push_empty(depot, empty);
    if (full == NULL)
        taken = own ? toft_slots_take_own(pool, size_class, bin, base)
                    : toft_slots_take(pool, size_class, bin->refill, base);
    TOFT_ASSERT(taken <= toft_magazine_depth(size_class));
    TOFT_ASSERT(is_sound(pool, size_class));
    toft_depot_unlock(pool, size_class);
    if (!pushed) free_magazine(pool, empty);
    if (full != NULL) prefetch(full);
    if (toft_slot_bytes(size_class) > own_slot_bytes_max)
        for (unsigned i = 1; i <= taken; i++) __builtin_prefetch(base[i], 1);
    return full != NULL ? toft_magazine_full_top(full) : base + taken;
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

/* Puts a full magazine of the depot's back into spans. False when there is none. */
static bool drain_one(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_depot_lock(pool, size_class);
    toft_magazine *full = pop_full(pool, size_class);
    if (full != NULL) toft_slots_give(pool, toft_magazine_full_top(full), size_class);
    bool pushed = full == NULL || push_empty(depot, full);
    toft_depot_unlock(pool, size_class);
    if (!pushed) free_magazine(pool, full);
    return full != NULL;
}

/* Whether the depots may keep one more full magazine of the class. */
static bool has_room(const toft_pool *pool, unsigned size_class) {
    size_t kept_bytes = __atomic_load_n(&pool->depot_bytes, __ATOMIC_RELAXED);
    return pool->depots[size_class].full_count < TOFT_POOL_DEPOT_MAGAZINES &&
           kept_bytes + toft_magazine_bytes(size_class) <= TOFT_POOL_DEPOT_BYTES;
}

/* Beyond the bound the magazine itself is emptied, and is the empty one to return. */
toft_magazine *toft_depot_spill(toft_pool *pool, toft_magazine *full, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_magazine *empty = full;
    toft_depot_lock(pool, size_class);
    TOFT_ASSERT(is_sound(pool, size_class));
    if (has_room(pool, size_class)) {
        push_full(pool, full, size_class);
        empty = pop_empty(depot);
    } else {
        toft_slots_give(pool, toft_magazine_full_top(full), size_class);
    }
    TOFT_ASSERT(is_sound(pool, size_class));
    toft_depot_unlock(pool, size_class);
    return empty;
}

void toft_depot_trim(toft_pool *pool) {
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        toft_depot *depot = &pool->depots[size_class];
        while (drain_one(pool, size_class)) continue;
        toft_depot_lock(pool, size_class);
        toft_magazine *empty = depot->empty;
        depot->empty = NULL;
        depot->empty_count = 0;
        toft_depot_unlock(pool, size_class);
        for (toft_magazine *freed; (freed = toft_magazine_pop(&empty)) != NULL;)
            free_magazine(pool, freed);
    }
}

void toft_depot_decay(toft_pool *pool, unsigned halvings) {
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        toft_depot *depot = &pool->depots[size_class];
        if (__atomic_load_n(&depot->full_count, __ATOMIC_RELAXED) == 0) continue;
        toft_depot_lock(pool, size_class);
        size_t low = depot->full_low;
        toft_depot_unlock(pool, size_class);
        for (size_t given = toft_decay_share(low, halvings); given != 0; given--)
            (void)drain_one(pool, size_class);
        toft_depot_lock(pool, size_class);
        depot->full_low = depot->full_count;
        toft_depot_unlock(pool, size_class);
    }
}

size_t toft_depot_count(toft_pool *pool, unsigned size_class, size_t *cached_slots) {
    toft_depot *depot = &pool->depots[size_class];
    toft_depot_lock(pool, size_class);
    size_t internal = __atomic_load_n(&depot->internal_slots, __ATOMIC_RELAXED);
    size_t taken = depot->taken_slots - internal;
    *cached_slots = depot->full_count * toft_magazine_depth(size_class);
    toft_depot_unlock(pool, size_class);
    return taken;
}
