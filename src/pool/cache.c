/* SPDX-License-Identifier: MIT */
/* A thread's cache beyond the magazines in use: more magazines of its own, then the depot.
 *
 * A cache keeps full magazines up to a bound that it claims piece by piece, out of a budget that
 * all caches share. What it can't keep goes on to the depot at once, as a consumer's must; and so
 * does what would scatter the objects of a large heap, or to the spans where no other thread can
 * want it. */
#include "base/check.h"
#include "base/decay.h"
#include "pool/cache_runs.h"
#include "pool/slots.h"
#include "pool/watch.h"

static const size_t claim_step_bytes = (size_t)128 << 10;

void toft_cache_init(toft_cache *cache, toft_pool *pool) {
    *cache =
        (toft_cache){.fast.pool = pool, .fast.no_class = TOFT_NO_MAGAZINE_TOP, .is_spent = true};
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) cache->fast.top[i] = TOFT_NO_MAGAZINE_TOP;
}

/* --- how much a cache may keep --- */

static bool claim_step(toft_cache *cache) {
    toft_pool *pool = cache->fast.pool;
    if (cache->claimed_bytes >= TOFT_POOL_CACHE_BYTES) return false;
    size_t budget_bytes =
        TOFT_POOL_CACHES_BYTES + __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED) / 8;
    size_t claimed_bytes =
        __atomic_add_fetch(&pool->claimed_bytes, claim_step_bytes, __ATOMIC_RELAXED);
    if (claimed_bytes > budget_bytes) {
        __atomic_fetch_sub(&pool->claimed_bytes, claim_step_bytes, __ATOMIC_RELAXED);
        return false;
    }
    cache->claimed_bytes += claim_step_bytes;
    return true;
}

/* Keeps the claims to what is full, and a step more. */
static void unclaim(toft_cache *cache, size_t spare_bytes) {
    while (cache->claimed_bytes >= cache->full_bytes + spare_bytes + claim_step_bytes) {
        cache->claimed_bytes -= claim_step_bytes;
        __atomic_fetch_sub(&cache->fast.pool->claimed_bytes, claim_step_bytes, __ATOMIC_RELAXED);
    }
}

/* Whether a full magazine's slots weren't freed as neighbours, one after the other, up or down. An
   eighth may lie elsewhere: where one span ends, the next is far away. Looks at every fifth slot
   and its neighbour. Large objects share no lines and few pages, wherever they lie. */
static bool is_mixed(toft_magazine *full, unsigned size_class) {
    enum { small_slot_bytes = 512, step = 5 };
    size_t slot_bytes = toft_slot_bytes(size_class);
    if (slot_bytes > small_slot_bytes) return false;
    unsigned depth = toft_magazine_depth(size_class);
    void **base = toft_magazine_empty_top(full, depth);
    uintptr_t near_bytes = 4 * slot_bytes;
    unsigned elsewhere_left = depth / step / 8 + 1;
    bool was_up = (uintptr_t)base[2] > (uintptr_t)base[1];
    for (unsigned i = 1; i < depth && elsewhere_left != 0; i += step) {
        uintptr_t distance = (uintptr_t)base[i + 1] - (uintptr_t)base[i];
        bool up = distance <= near_bytes, down = -distance <= near_bytes;
        elsewhere_left -= was_up ? !up : !down;
        was_up = up || (was_up && !down);
    }
    return elsewhere_left == 0;
}

static bool has_taken_much(const toft_cache *cache) {
    return cache->most_taken_bytes > TOFT_POOL_ORDER_BYTES;
}

/* A bit for each unit that a magazine's slots lie in, as far as every fifth tells. */
static uint64_t units_of(void **top, unsigned size_class) {
    enum { step = 5 };
    void **base = toft_magazine_empty_top(toft_magazine_of(top), toft_magazine_depth(size_class));
    uint64_t units = 0; /* two that share a bit do little harm */
    for (ptrdiff_t i = top - base; i > 0; i -= step)
        units |= (uint64_t)1 << (uintptr_t)base[i] / TOFT_UNIT_BYTES % 64;
    return units;
}

/* Remembers the last units whose slots were handed out, some 256 KiB of a class. */
static void note_handed_out(toft_cache *cache, void **top, unsigned size_class) {
    enum { units_max = 8 };
    uint64_t *units = &cache->bins[size_class].units_lately;
    if (!has_taken_much(cache)) return;
    if (__builtin_popcountll(*units) > units_max) *units = 0;
    *units |= units_of(top, size_class);
}

/* Whether a full magazine's slots are likely to have been handed out a moment ago. */
static bool comes_back(const toft_cache *cache, toft_magazine *full, unsigned size_class) {
    uint64_t units = units_of(toft_magazine_full_top(full), size_class);
    return (units & ~cache->bins[size_class].units_lately) == 0;
}

/* Notes by how much the thread has fewer live objects than most_taken_bytes. */
static void note_fallen(toft_cache *cache) {
    size_t kept_bytes = cache->full_bytes - cache->runs.bytes;
    size_t fallen_bytes = cache->most_taken_bytes - cache->taken_bytes + kept_bytes;
    TOFT_ASSERT(cache->most_taken_bytes >= cache->taken_bytes);
    cache->most_fallen_bytes = toft_max(cache->most_fallen_bytes, fallen_bytes);
}

/* Small documents that come and go beside many other objects are made of the same few slots again
   and again: these are in a core's own cache, in any order. */
static bool is_small_document(const toft_cache *cache, toft_magazine *full, unsigned size_class) {
    return cache->most_fallen_bytes <= TOFT_POOL_ORDER_BYTES && comes_back(cache, full, size_class);
}

/* Whether a cache hands a magazine's slots out again in the order of their frees. That costs least,
   but many objects of a thread would remember that order from round to round, and each round would
   mix it further, until the processor's prefetching fails. */
static bool may_keep_order(toft_cache *cache, toft_magazine *full, unsigned size_class) {
    if (!has_taken_much(cache)) return true;
    note_fallen(cache);
    return is_small_document(cache, full, size_class) || !is_mixed(full, size_class);
}

bool toft_cache_may_keep(toft_cache *cache, size_t bytes) {
    while (cache->claimed_bytes < cache->full_bytes + bytes)
        if (!claim_step(cache)) return false;
    return true;
}

/* --- full magazines --- */

static size_t bytes_in(void **top, unsigned size_class) {
    unsigned slots = toft_magazine_count(top, toft_magazine_depth(size_class));
    return slots * toft_slot_bytes(size_class);
}

static void count_taken(toft_cache *cache, void **top, unsigned size_class) {
    cache->taken_bytes += bytes_in(top, size_class);
    cache->most_taken_bytes = toft_max(cache->most_taken_bytes, cache->taken_bytes);
}

/* A thread that frees what others made gives more than it took. That must not hide how much it
   takes later. */
static void count_given(toft_cache *cache, void **top, unsigned size_class) {
    cache->taken_bytes -= toft_min(cache->taken_bytes, bytes_in(top, size_class));
}

/* What is true of a class in every cache between two exchanges. */
static bool is_sound(const toft_cache *cache, unsigned size_class) {
    const toft_bin *bin = &cache->bins[size_class];
    unsigned depth = toft_magazine_depth(size_class);
    return (bin->full == NULL) == (bin->full_count == 0) && bin->full_low <= bin->full_count &&
           cache->full_bytes >= bin->full_count * toft_magazine_bytes(size_class) &&
           toft_magazine_count(toft_pool_top(&cache->fast, size_class), depth) <= depth &&
           (bin->span == NULL || bin->span->size_class == size_class);
}

static void push_full(toft_cache *cache, toft_magazine *full, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_magazine_push(&bin->full, full);
    toft_bin_set_full_count(bin, bin->full_count + 1U);
    toft_cache_set_full_bytes(cache, cache->full_bytes + toft_magazine_bytes(size_class));
}

/* The bin has one. */
static toft_magazine *pop_full(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_bin_set_full_count(bin, bin->full_count - 1U);
    bin->full_low = (uint16_t)toft_min(bin->full_low, bin->full_count);
    toft_cache_set_full_bytes(cache, cache->full_bytes - toft_magazine_bytes(size_class));
    return toft_magazine_pop(&bin->full);
}

/* Leaves a full magazine to the depot. Returns an empty one, or NULL where none is at hand. */
static toft_magazine *leave(toft_cache *cache, toft_magazine *full, unsigned size_class) {
    count_given(cache, toft_magazine_full_top(full), size_class);
    return toft_depot_spill(cache->fast.pool, cache->shard, full, size_class);
}

static void spill(toft_cache *cache, unsigned size_class, unsigned magazines) {
    for (; magazines != 0; magazines--) {
        toft_magazine *full = pop_full(cache, size_class);
        toft_magazine *empty = leave(cache, full, size_class);
        if (empty != NULL) toft_magazine_push(&cache->bins[size_class].empty, empty);
    }
}

/* All but so many. */
static void give_empties(toft_cache *cache, unsigned size_class, unsigned keep) {
    toft_magazine **kept = &cache->bins[size_class].empty;
    for (; keep != 0 && *kept != NULL; keep--) kept = &(*kept)->next;
    for (toft_magazine *empty; (empty = toft_magazine_pop(kept)) != NULL;)
        toft_depot_give_empty(cache->fast.pool, cache->shard, empty, size_class);
}

void toft_cache_decay(toft_cache *cache, unsigned halvings) {
    toft_cache_give_runs(cache);
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) {
        toft_bin *bin = &cache->bins[i];
        spill(cache, i, (unsigned)toft_decay_share(bin->full_low, halvings));
        give_empties(cache, i, bin->full_count + 1U);
        bin->full_low = bin->full_count;
    }
    unclaim(cache, claim_step_bytes);
    cache->most_taken_bytes = toft_max(cache->most_taken_bytes >> halvings, cache->taken_bytes);
    cache->most_fallen_bytes >>= halvings;
}

/* --- before the heap grows --- */

/* Free slots in magazines may keep many spans in use that hold nothing else: 60 slots that were
   freed in a random order pin 60 spans, 2 MiB. So before the heap grows, a cache puts back what it
   and its shard keep. Not so often that it costs more than some instructions an object, and only
   after the heap has grown by some percent, where it has been in vain. */
static bool should_gather(const toft_cache *cache) {
    enum { exchanges_between = 32 };
    const toft_pool *pool = cache->fast.pool;
    size_t held_bytes = __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED);
    return (uint16_t)(cache->exchanges - cache->gathered_at) >= exchanges_between &&
           held_bytes > TOFT_POOL_GATHER_MIN_BYTES &&
           held_bytes >= __atomic_load_n(&pool->gather_at_bytes, __ATOMIC_RELAXED);
}

static void gather(toft_cache *cache) {
    cache->gathered_at = cache->exchanges;
    toft_cache_empty(cache);
    toft_depot_gather(cache->fast.pool, cache->shard);
}

static void note_in_vain(toft_pool *pool) {
    size_t bytes = __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&pool->gather_at_bytes, bytes + bytes / 32, __ATOMIC_RELAXED);
}

static void **refill(toft_cache *cache, toft_magazine *empty, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    bool gathers = should_gather(cache);
    void **top =
        toft_depot_refill(pool, cache, empty, size_class, gathers ? toft_no_growth : toft_may_grow);
    if (*top != NULL || !gathers) return top;
    toft_pool_set_top(&cache->fast, size_class, TOFT_NO_MAGAZINE_TOP);
    gather(cache);
    top = toft_depot_refill(pool, cache, toft_magazine_of(top), size_class, toft_no_growth);
    if (*top != NULL) return top;
    note_in_vain(pool);
    return toft_depot_refill(pool, cache, toft_magazine_of(top), size_class, toft_may_grow);
}

/* --- taking --- */

/* The cache's own magazine, empty, of a class that has none left; NULL when out of memory. */
static toft_magazine *own_magazine(toft_cache *cache, unsigned size_class) {
    void **top = toft_pool_top(&cache->fast, size_class);
    if (top != TOFT_NO_MAGAZINE_TOP) return toft_magazine_of(top);
    return toft_depot_take_empty(cache->fast.pool, cache->shard, size_class);
}

/* The fewest that are whole pairs of cache lines, so that no two threads' slots share one: sizes go
   in steps of 8 bytes to 128, of 16 to 512, and of 64 or more beyond. */
static unsigned first_refill(unsigned size_class) {
    size_t slot_bytes = toft_slot_bytes(size_class);
    return slot_bytes <= 128 ? 16 : slot_bytes <= 512 ? 8 : 2;
}

/* A thread that wants few objects of a class gets few, one that wants many gets a run of
   neighbours. */
static void grow_refill(toft_bin *bin, unsigned size_class) {
    unsigned refill = bin->refill == 0 ? first_refill(size_class) : 2U * bin->refill;
    bin->refill =
        (uint8_t)toft_min(refill, toft_min(TOFT_REFILL_MAX, toft_magazine_depth(size_class)));
}

void *toft_cache_take(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    TOFT_ASSERT(is_sound(cache, size_class));
    toft_cache_count_exchange(cache);
    bool has_magazines = !toft_watch_has(cache, size_class);
    toft_magazine *empty = has_magazines ? own_magazine(cache, size_class) : NULL;
    if (empty == NULL) return toft_slot_take(cache->fast.pool, size_class);
    void **top;
    if (bin->full != NULL) {
        top = toft_magazine_full_top(pop_full(cache, size_class));
        toft_magazine_push(&bin->empty, empty);
    } else {
        grow_refill(bin, size_class);
        top = refill(cache, empty, size_class);
        count_taken(cache, top, size_class);
    }
    note_handed_out(cache, top, size_class);
    void *object = *top;
    toft_pool_set_top(&cache->fast, size_class, object == NULL ? top : top - 1);
    return object;
}

void *toft_cache_borrow(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    unsigned lender = toft_lender_of(size_class);
    if (lender == size_class || bin->refill != 0 || bin->borrowed >= TOFT_BORROWED_MAX) return NULL;
    bin->borrowed++;
    return toft_cache_pop(cache, lender);
}

/* --- giving --- */

/* Puts a full magazine away: into the bin while the cache may keep one more, else into the depot.
   Returns an empty one, or NULL when out of memory. */
static toft_magazine *put_away(toft_cache *cache, toft_magazine *full, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    toft_bin *bin = &cache->bins[size_class];
    bool keeps_order = may_keep_order(cache, full, size_class);
    if (!keeps_order && toft_shards_serve_one(pool)) {
        count_given(cache, toft_magazine_full_top(full), size_class);
        toft_depot_give_slots(pool, toft_magazine_full_top(full), size_class);
        return full;
    }
    toft_magazine *empty = toft_magazine_pop(&bin->empty);
    if (keeps_order && bin->full_count < UINT16_MAX &&
        toft_cache_may_keep(cache, toft_magazine_bytes(size_class))) {
        push_full(cache, full, size_class);
    } else {
        toft_magazine *other = leave(cache, full, size_class);
        if (empty == NULL) return other;
        if (other != NULL) toft_magazine_push(&bin->empty, other);
    }
    return empty;
}

void toft_cache_give(toft_cache *cache, void *object, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    TOFT_ASSERT(is_sound(cache, size_class));
    toft_cache_count_exchange(cache);
    void **top = toft_pool_top(&cache->fast, size_class);
    toft_magazine *empty = NULL;
    if (top != TOFT_NO_MAGAZINE_TOP) empty = put_away(cache, toft_magazine_of(top), size_class);
    if (empty == NULL && !toft_watch_has(cache, size_class))
        empty = toft_depot_take_empty(pool, cache->shard, size_class);
    if (empty == NULL) {
        toft_pool_set_top(&cache->fast, size_class, TOFT_NO_MAGAZINE_TOP);
        toft_slot_give(pool, object, size_class);
        return;
    }
    top = toft_magazine_empty_top(empty, toft_magazine_depth(size_class)) + 1;
    *top = object;
    toft_pool_set_top(&cache->fast, size_class, top);
    TOFT_ASSERT(is_sound(cache, size_class));
}

/* --- ends --- */

static void retire_bin(toft_cache *cache, unsigned size_class) {
    toft_bin *bin = &cache->bins[size_class];
    toft_depot_disown(cache->fast.pool, size_class, bin);
    spill(cache, size_class, bin->full_count);
    give_empties(cache, size_class, 0);
    bin->full_low = 0;
}

void toft_cache_retire(toft_cache *cache) {
    toft_cache_give_runs(cache);
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) retire_bin(cache, i);
    unclaim(cache, 0);
}

void toft_cache_forget_taken(toft_cache *cache) {
    cache->taken_bytes = 0;
    cache->most_taken_bytes = 0;
    cache->most_fallen_bytes = 0;
}

static void give_magazine(toft_cache *cache, unsigned size_class) {
    toft_pool *pool = cache->fast.pool;
    void **top = toft_pool_top(&cache->fast, size_class);
    if (top == TOFT_NO_MAGAZINE_TOP) return;
    toft_pool_set_top(&cache->fast, size_class, TOFT_NO_MAGAZINE_TOP);
    count_given(cache, top, size_class);
    toft_depot_give_slots(pool, top, size_class);
    toft_depot_give_empty(pool, cache->shard, toft_magazine_of(top), size_class);
}

void toft_cache_empty(toft_cache *cache) {
    toft_cache_retire(cache);
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++) give_magazine(cache, i);
}

void toft_cache_drop(toft_cache *cache, unsigned size_class) {
    retire_bin(cache, size_class);
    give_magazine(cache, size_class);
}

void toft_cache_abandon(toft_cache *cache) {
    for (unsigned i = 0; i < TOFT_POOL_CLASSES; i++)
        toft_pool_set_top(&cache->fast, i, TOFT_NO_MAGAZINE_TOP);
}
