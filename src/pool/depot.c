/* SPDX-License-Identifier: MIT */
/* The depot of a class: full magazines on their way from one thread to another, and behind them the spans. */
#include "base/misuse.h"
#include "base/tracking.h"
#include "pool/pool.h"

enum {
    empty_magazines_max = 8,
    own_slot_bytes_max = 256, /* beyond, a refill is far longer than a page */
};

/* --- spans; the depot's lock is held --- */

static void link_span(toft_depot *depot, toft_span *span) {
    span->prev = NULL;
    span->next = depot->spans;
    if (span->next != NULL) span->next->prev = span;
    depot->spans = span;
}

static void unlink_span(toft_depot *depot, toft_span *span) {
    if (span->prev != NULL)
        span->prev->next = span->next;
    else
        depot->spans = span->next;
    if (span->next != NULL) span->next->prev = span->prev;
}

/* A span with free slots that is in no list, or NULL when out of memory. */
static toft_span *take_span(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_span *span = depot->spans;
    if (span == NULL) return toft_heap_take(pool, size_class);
    unlink_span(depot, span);
    return span;
}

static void put_span_back(toft_pool *pool, toft_span *span) {
    if (toft_span_is_empty(span))
        toft_heap_give(pool, span);
    else if (span->free_slots != 0)
        link_span(&pool->depots[span->size_class], span);
}

/* Puts up to count free slots into the magazine above base, the lowest address on top. Returns their number. */
static unsigned take_slots(toft_pool *pool, unsigned size_class, unsigned count, void **base) {
    toft_span *span = take_span(pool, size_class);
    if (span == NULL) return 0;
    unsigned taken = toft_span_take(span, count, base);
    put_span_back(pool, span);
    pool->depots[size_class].taken_slots += taken;
    return taken;
}

/* The same from a span that no other cache takes from, so that the bin's objects are neighbours. */
static unsigned take_own_slots(toft_pool *pool, unsigned size_class, toft_bin *bin, void **base) {
    if (bin->span == NULL) bin->span = take_span(pool, size_class);
    if (bin->span == NULL) return 0;
    unsigned taken = toft_span_take(bin->span, bin->refill, base);
    bin->span->owned = bin->span->free_slots != 0;
    if (!bin->span->owned) bin->span = NULL;
    pool->depots[size_class].taken_slots += taken;
    return taken;
}

static void give_slot(toft_pool *pool, void *slot, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_span *span = toft_span_of(slot);
    if (span->size_class != size_class)
        toft_misuse(slot, "freed with another size or alignment than it was allocated with");
    bool listed = !span->owned && span->free_slots != 0;
    toft_span_give(span, slot);
    depot->taken_slots--;
    if (span->owned) return;
    if (!listed) link_span(depot, span);
    if (toft_span_is_empty(span)) {
        unlink_span(depot, span);
        toft_heap_give(pool, span);
    }
}

static void give_slots(toft_pool *pool, void **top, unsigned size_class) {
    for (; *top != NULL; top--) give_slot(pool, *top, size_class);
}

void *toft_depot_take_slot(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    void *place[2];
    toft_os_lock(&depot->lock);
    unsigned taken = take_slots(pool, size_class, 1, place);
    toft_os_unlock(&depot->lock);
    return taken == 0 ? NULL : place[1];
}

void toft_depot_give_slot(toft_pool *pool, void *slot, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_os_lock(&depot->lock);
    give_slot(pool, slot, size_class);
    toft_os_unlock(&depot->lock);
}

void toft_depot_give_slots(toft_pool *pool, void **top, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_os_lock(&depot->lock);
    give_slots(pool, top, size_class);
    toft_os_unlock(&depot->lock);
}

/* --- the pool's own records --- */

void *toft_depot_take_record(toft_pool *pool, unsigned size_class) {
    void *record = toft_depot_take_slot(pool, size_class);
    if (record == NULL) return NULL;
    __atomic_fetch_add(&pool->depots[size_class].internal_slots, 1, __ATOMIC_RELAXED);
    if (toft_tracking()) toft_track_allocated(record, toft_slot_bytes(size_class));
    return record;
}

void toft_depot_give_record(toft_pool *pool, void *record, unsigned size_class) {
    __atomic_fetch_sub(&pool->depots[size_class].internal_slots, 1, __ATOMIC_RELAXED);
    toft_depot_give_slot(pool, record, size_class);
}

/* --- magazines --- */

static void push_full(toft_pool *pool, toft_magazine *full, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_magazine_push(&depot->full, full);
    __atomic_store_n(&depot->full_count, depot->full_count + 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pool->depot_bytes, toft_magazine_bytes(size_class), __ATOMIC_RELAXED);
}

static toft_magazine *pop_full(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_magazine *full = toft_magazine_pop(&depot->full);
    if (full == NULL) return NULL;
    __atomic_store_n(&depot->full_count, depot->full_count - 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&pool->depot_bytes, toft_magazine_bytes(size_class), __ATOMIC_RELAXED);
    return full;
}

/* False where there are enough: then it is for the caller to give back, without this lock. */
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
    toft_depot_give_record(pool, magazine, TOFT_MAGAZINE_CLASS);
}

toft_magazine *toft_depot_take_empty(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_os_lock(&depot->lock);
    toft_magazine *empty = pop_empty(depot);
    toft_os_unlock(&depot->lock);
    if (empty != NULL) return empty;
    empty = toft_depot_take_record(pool, TOFT_MAGAZINE_CLASS);
    if (empty != NULL) *toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) = NULL;
    return empty;
}

void toft_depot_give_empty(toft_pool *pool, toft_magazine *empty, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_os_lock(&depot->lock);
    bool pushed = push_empty(depot, empty);
    toft_os_unlock(&depot->lock);
    if (!pushed) free_magazine(pool, empty);
}

/* --- the exchange with caches --- */

/* It was another thread's: all of it at once takes no longer than its first line. */
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
    toft_os_lock(&depot->lock);
    toft_magazine *full = pop_full(pool, size_class);
    bool pushed = full == NULL || push_empty(depot, empty);
    if (full == NULL)
        taken = own ? take_own_slots(pool, size_class, bin, base)
                    : take_slots(pool, size_class, bin->refill, base);
    toft_os_unlock(&depot->lock);
    if (!pushed) free_magazine(pool, empty);
    if (full != NULL) prefetch(full);
    return full != NULL ? toft_magazine_full_top(full) : base + taken;
}

void toft_depot_disown(toft_pool *pool, unsigned size_class, toft_bin *bin) {
    toft_depot *depot = &pool->depots[size_class];
    if (bin->span == NULL) return;
    toft_os_lock(&depot->lock);
    bin->span->owned = false;
    put_span_back(pool, bin->span);
    toft_os_unlock(&depot->lock);
    bin->span = NULL;
}

/* Puts a full magazine of the depot's back into spans. False when there is none. */
static bool drain_one(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    if (__atomic_load_n(&depot->full_count, __ATOMIC_RELAXED) == 0) return false;
    toft_os_lock(&depot->lock);
    toft_magazine *full = pop_full(pool, size_class);
    if (full != NULL) give_slots(pool, toft_magazine_full_top(full), size_class);
    bool pushed = full == NULL || push_empty(depot, full);
    toft_os_unlock(&depot->lock);
    if (!pushed) free_magazine(pool, full);
    return full != NULL;
}

/* Keeps the depots' bound, at the cost of each class in turn. */
static void drain(toft_pool *pool) {
    for (unsigned misses = 0; misses < TOFT_POOL_CLASSES;) {
        if (__atomic_load_n(&pool->depot_bytes, __ATOMIC_RELAXED) <= TOFT_POOL_DEPOT_BYTES) return;
        unsigned victim = __atomic_fetch_add(&pool->victim, 1, __ATOMIC_RELAXED);
        misses = drain_one(pool, victim % TOFT_POOL_CLASSES) ? 0 : misses + 1;
    }
}

toft_magazine *toft_depot_spill(toft_pool *pool, toft_magazine *full, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_os_lock(&depot->lock);
    push_full(pool, full, size_class);
    toft_magazine *empty = pop_empty(depot);
    toft_os_unlock(&depot->lock);
    drain(pool);
    return empty;
}

void toft_depot_trim(toft_pool *pool) {
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        toft_depot *depot = &pool->depots[size_class];
        while (drain_one(pool, size_class)) continue;
        toft_os_lock(&depot->lock);
        toft_magazine *empty = depot->empty;
        depot->empty = NULL;
        depot->empty_count = 0;
        toft_os_unlock(&depot->lock);
        for (toft_magazine *freed; (freed = toft_magazine_pop(&empty)) != NULL;)
            free_magazine(pool, freed);
    }
}
