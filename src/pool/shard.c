/* SPDX-License-Identifier: MIT */
/* Shards: magazines on their way from one thread to another. */
#include "pool/shard.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/decay.h"
#include "pool/slots.h"

/* What all shards together keep of a class is divided among them, but each has place for some. A
   cache that finds nothing for long looks at one shard besides those that it knows. */
enum {
    full_magazines_min = 16,
    empty_magazines_max = 64,
    empty_magazines_min = 8,
    probes_max = 15
};

static unsigned count_log2(const toft_pool *pool) {
    return __atomic_load_n(&pool->shards.count_log2, __ATOMIC_RELAXED);
}

/* As many as were ever made, or more. */
static unsigned made_max(const toft_pool *pool) { return 1U << count_log2(pool); }

/* NULL where it was never made. Acquire: what was written when it was made is seen. */
static toft_shard *shard_at(toft_pool *pool, unsigned index) {
    if (index == 0) return &pool->shards.first;
    return __atomic_load_n(&pool->shards.others[index - 1], __ATOMIC_ACQUIRE);
}

static toft_shard *lock_shard(toft_pool *pool, unsigned index) {
    toft_shard *shard = shard_at(pool, index);
    if (shard != NULL) toft_lock(&shard->lock);
    return shard;
}

bool toft_shards_serve_one(const toft_pool *pool) {
    return __atomic_load_n(&pool->shards.caches, __ATOMIC_RELAXED) <= 1;
}

/* --- a rack; the shard's lock is held --- */

static bool is_full(toft_magazine *magazine, unsigned size_class) {
    void **base = toft_magazine_empty_top(magazine, toft_magazine_depth(size_class));
    return *base == NULL && *toft_magazine_full_top(magazine) != NULL;
}

/* The lists are as long as is counted. */
static bool is_sound(const toft_shard *shard, unsigned size_class) {
    const toft_rack *rack = &shard->racks[size_class];
    size_t full_count = 0, empty_count = 0;
    for (toft_magazine *full = rack->full; full != NULL; full = full->next) {
        if (!is_full(full, size_class)) return false;
        full_count++;
    }
    for (const toft_magazine *empty = rack->empty; empty != NULL; empty = empty->next)
        empty_count++;
    return full_count == rack->full_count && full_count <= TOFT_POOL_DEPOT_MAGAZINES &&
           empty_count == rack->empty_count && empty_count <= empty_magazines_max &&
           rack->full_low <= full_count &&
           shard->full_bytes >= full_count * toft_magazine_bytes(size_class);
}

/* Others read it without the lock, to see whether it is worth taking. */
static void set_full_count(toft_rack *rack, unsigned count) {
    __atomic_store_n(&rack->full_count, (uint16_t)count, __ATOMIC_RELAXED);
}

static void set_full_bytes(toft_shard *shard, size_t bytes) {
    __atomic_store_n(&shard->full_bytes, bytes, __ATOMIC_RELAXED);
}

static void push_full(toft_shard *shard, toft_magazine *full, unsigned size_class) {
    toft_rack *rack = &shard->racks[size_class];
    TOFT_ASSERT(is_full(full, size_class));
    toft_magazine_push(&rack->full, full);
    set_full_count(rack, rack->full_count + 1U);
    set_full_bytes(shard, shard->full_bytes + toft_magazine_bytes(size_class));
}

static toft_magazine *pop_full(toft_shard *shard, unsigned size_class) {
    toft_rack *rack = &shard->racks[size_class];
    toft_magazine *full = toft_magazine_pop(&rack->full);
    if (full == NULL) return NULL;
    set_full_count(rack, rack->full_count - 1U);
    rack->full_low = (uint16_t)toft_min(rack->full_low, rack->full_count);
    set_full_bytes(shard, shard->full_bytes - toft_magazine_bytes(size_class));
    return full;
}

static bool has_room(toft_pool *pool, const toft_shard *shard, unsigned size_class) {
    unsigned log2 = count_log2(pool);
    size_t full_max = toft_max(TOFT_POOL_DEPOT_MAGAZINES >> log2, full_magazines_min);
    return shard->racks[size_class].full_count < full_max &&
           shard->full_bytes + toft_magazine_bytes(size_class) <= TOFT_POOL_DEPOT_BYTES >> log2;
}

static bool push_empty(toft_pool *pool, toft_rack *rack, toft_magazine *empty) {
    if (rack->empty_count >= toft_max(empty_magazines_max >> count_log2(pool), empty_magazines_min))
        return false;
    toft_magazine_push(&rack->empty, empty);
    rack->empty_count++;
    return true;
}

static toft_magazine *pop_empty(toft_rack *rack) {
    if (rack->empty != NULL) rack->empty_count--;
    return toft_magazine_pop(&rack->empty);
}

/* --- exchanges --- */

bool toft_shard_give_full(toft_pool *pool, unsigned index, unsigned size_class, toft_magazine *full,
                          toft_magazine **empty) {
    toft_shard *shard = lock_shard(pool, index);
    TOFT_ASSERT(is_sound(shard, size_class));
    bool room = has_room(pool, shard, size_class);
    if (room) {
        push_full(shard, full, size_class);
        *empty = pop_empty(&shard->racks[size_class]);
    }
    TOFT_ASSERT(is_sound(shard, size_class));
    toft_unlock(&shard->lock);
    return room;
}

static bool seems_empty(const toft_shard *shard, unsigned size_class) {
    return __atomic_load_n(&shard->racks[size_class].full_count, __ATOMIC_RELAXED) == 0;
}

static toft_magazine *take_full_from(toft_pool *pool, unsigned index, unsigned size_class,
                                     toft_magazine **empty) {
    toft_shard *shard = shard_at(pool, index);
    if (shard == NULL || seems_empty(shard, size_class)) return NULL;
    toft_lock(&shard->lock);
    TOFT_ASSERT(is_sound(shard, size_class));
    toft_magazine *full = pop_full(shard, size_class);
    if (full != NULL && push_empty(pool, &shard->racks[size_class], *empty)) *empty = NULL;
    TOFT_ASSERT(is_sound(shard, size_class));
    toft_unlock(&shard->lock);
    return full;
}

/* Two caches that find nothing where they look go on to different shards. */
static uint8_t random_index(toft_pool *pool, toft_cache *cache) {
    cache->random = cache->random * TOFT_RANDOM_FACTOR + 1;
    return (uint8_t)((cache->random >> 16 ^ cache->shard) & ((1U << count_log2(pool)) - 1));
}

/* From a shard at random. */
static toft_magazine *steal_full(toft_pool *pool, toft_cache *cache, unsigned size_class,
                                 toft_magazine **empty) {
    toft_bin *bin = &cache->bins[size_class];
    for (unsigned i = 0; i <= bin->probes; i++) {
        bin->found_in = random_index(pool, cache);
        toft_magazine *full = take_full_from(pool, bin->found_in, size_class, empty);
        if (full == NULL) continue;
        bin->probes = probes_max;
        return full;
    }
    if (bin->probes != 0) bin->probes--;
    return NULL;
}

toft_magazine *toft_shards_take_full(toft_pool *pool, toft_cache *cache, unsigned size_class,
                                     toft_magazine **empty) {
    toft_magazine *full = take_full_from(pool, cache->shard, size_class, empty);
    if (full != NULL || count_log2(pool) == 0) return full;
    full = take_full_from(pool, cache->bins[size_class].found_in, size_class, empty);
    return full != NULL ? full : steal_full(pool, cache, size_class, empty);
}

toft_magazine *toft_shard_take_empty(toft_pool *pool, unsigned index, unsigned size_class) {
    toft_shard *shard = lock_shard(pool, index);
    toft_magazine *empty = pop_empty(&shard->racks[size_class]);
    toft_unlock(&shard->lock);
    return empty;
}

bool toft_shard_give_empty(toft_pool *pool, unsigned index, unsigned size_class,
                           toft_magazine *empty) {
    toft_shard *shard = lock_shard(pool, index);
    bool pushed = push_empty(pool, &shard->racks[size_class], empty);
    toft_unlock(&shard->lock);
    return pushed;
}

/* --- all shards --- */

static void take_unused(toft_shard *shard, unsigned size_class, unsigned halvings,
                        toft_magazine **list) {
    toft_rack *rack = &shard->racks[size_class];
    for (size_t given = toft_decay_share(rack->full_low, halvings); given != 0; given--)
        toft_magazine_push(list, pop_full(shard, size_class));
    rack->full_low = rack->full_count;
}

size_t toft_shards_full_bytes_by(toft_pool *pool, unsigned shard) {
    const toft_shard *by = shard_at(pool, shard);
    if (by == NULL) return 0;
    return __atomic_load_n(&by->full_bytes, __ATOMIC_RELAXED) << count_log2(pool);
}

bool toft_shards_keep_any(toft_pool *pool) {
    for (unsigned i = 0; i < made_max(pool); i++) {
        const toft_shard *shard = shard_at(pool, i);
        if (shard != NULL && __atomic_load_n(&shard->full_bytes, __ATOMIC_RELAXED) != 0)
            return true;
    }
    return false;
}

toft_magazine *toft_shards_decay(toft_pool *pool, unsigned size_class, unsigned halvings) {
    toft_magazine *list = NULL;
    for (unsigned i = 0; i < made_max(pool); i++) {
        toft_shard *shard = shard_at(pool, i);
        if (shard == NULL || seems_empty(shard, size_class)) continue;
        toft_lock(&shard->lock);
        take_unused(shard, size_class, halvings, &list);
        toft_unlock(&shard->lock);
    }
    return list;
}

toft_magazine *toft_shard_take_all_full(toft_pool *pool, unsigned index, unsigned size_class,
                                        toft_magazine *list) {
    toft_shard *shard = shard_at(pool, index);
    if (shard == NULL || seems_empty(shard, size_class)) return list;
    toft_lock(&shard->lock);
    for (toft_magazine *full; (full = pop_full(shard, size_class)) != NULL;)
        toft_magazine_push(&list, full);
    toft_unlock(&shard->lock);
    return list;
}

toft_magazine *toft_shards_take_all_full(toft_pool *pool, unsigned size_class) {
    toft_magazine *list = NULL;
    for (unsigned i = 0; i < made_max(pool); i++)
        list = toft_shard_take_all_full(pool, i, size_class, list);
    return list;
}

toft_magazine *toft_shards_take_all_empty(toft_pool *pool, unsigned size_class) {
    toft_magazine *list = NULL;
    for (unsigned i = 0; i < made_max(pool); i++) {
        toft_shard *shard = lock_shard(pool, i);
        if (shard == NULL) continue;
        for (toft_magazine *empty; (empty = pop_empty(&shard->racks[size_class])) != NULL;)
            toft_magazine_push(&list, empty);
        toft_unlock(&shard->lock);
    }
    return list;
}

size_t toft_shards_count_full(toft_pool *pool, unsigned size_class) {
    size_t count = 0;
    for (unsigned i = 0; i < made_max(pool); i++) {
        toft_shard *shard = lock_shard(pool, i);
        if (shard == NULL) continue;
        count += shard->racks[size_class].full_count;
        toft_unlock(&shard->lock);
    }
    return count;
}

/* --- life; the pool's lock is held --- */

static unsigned class_of_shards(void) { return toft_pool_class_of_rounded(sizeof(toft_shard)); }

/* As many shards as processors, rounded down to a power of two. Two are served by one. */
static unsigned wanted_count_log2(void) {
    unsigned processors = toft_os_processors(), log2 = 0;
    while (2U << log2 <= TOFT_POOL_SHARDS_MAX && processors >= 2U << log2) log2++;
    return log2 == 1 ? 0 : log2;
}

/* Threads that do the same are often made by turns. Without this, all that free might share half of
   the shards. (Fibonacci hashing: D. Knuth, The Art of Computer Programming 3, 6.4.) */
static unsigned spread(unsigned turn, unsigned log2) {
    return log2 == 0 ? 0 : (turn * UINT32_C(0x9E3779B1)) >> (32 - log2);
}

static toft_shard *make_shard(toft_pool *pool, unsigned index) {
    toft_shard *made = toft_record_take(pool, class_of_shards());
    if (made == NULL) return NULL;
    *made = (toft_shard){.full_bytes = 0};
    __atomic_store_n(&pool->shards.others[index - 1], made, __ATOMIC_RELEASE);
    return made;
}

unsigned toft_shard_of_new_cache(toft_pool *pool) {
    unsigned turn = pool->shards.caches;
    __atomic_store_n(&pool->shards.caches, turn + 1, __ATOMIC_RELAXED);
    if (turn == 0) return 0;
    if (turn == 1)
        __atomic_store_n(&pool->shards.count_log2, wanted_count_log2(), __ATOMIC_RELAXED);
    unsigned index = spread(turn, count_log2(pool));
    if (shard_at(pool, index) != NULL) return index;
    /* A fork releases the locks of the shards that are there. */
    return !toft_this_thread_forks() && make_shard(pool, index) != NULL ? index : 0;
}

void toft_shards_lock(toft_pool *pool) {
    for (unsigned i = 0; i < TOFT_POOL_SHARDS_MAX; i++)
        if (shard_at(pool, i) != NULL) toft_os_lock(&shard_at(pool, i)->lock);
}

void toft_shards_unlock(toft_pool *pool) {
    for (unsigned i = TOFT_POOL_SHARDS_MAX; i-- > 0;)
        if (shard_at(pool, i) != NULL) toft_os_unlock(&shard_at(pool, i)->lock);
}

void toft_shards_unload(toft_pool *pool) {
    for (unsigned i = 1; i < TOFT_POOL_SHARDS_MAX; i++) {
        toft_shard *shard = shard_at(pool, i);
        if (shard != NULL) toft_record_give(pool, shard, class_of_shards());
        pool->shards.others[i - 1] = NULL;
    }
    pool->shards.count_log2 = 0;
    pool->shards.caches = 0;
}
