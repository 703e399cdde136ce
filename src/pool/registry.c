/* SPDX-License-Identifier: MIT */
#include "pool/registry.h"

#include <string.h>

#include "base/bits.h"
#include "base/list.h"
#include "base/misuse.h"
#include "base/text.h"
#include "os/tracking.h"
#include "pool/caches.h"
#include "pool/links.h"
#include "pool/map.h"
#include "pool/segments.h"

/* Pools are removed under both locks: whoever has one of them can go through the pools. */
static struct {
    toft_os_mutex removal; /* taken before the other; its holder may wait for a pool's upstream */
    toft_os_mutex lock;
    toft_pool *pools; /* newest first, without the process's */
    uint64_t last_pool_id;
    toft_pool *locked; /* the newest at the fork that is going on */
} registry = {.last_pool_id = TOFT_POOL_OF_PROCESS_ID};

/* The process's pool comes last: a pool's upstream may be an older pool, or that one. */
static toft_pool *newest(void) {
    return registry.pools != NULL ? registry.pools : &toft_pool_of_process;
}

static toft_pool *next_of(toft_pool *pool) {
    if (pool == &toft_pool_of_process) return NULL;
    return pool->next != NULL ? pool->next : &toft_pool_of_process;
}

/* What a live pool alone has at its start: by accident no other memory of that address has it.
   (Fibonacci hashing: D. Knuth, The Art of Computer Programming 3, 6.4.) */
static uint64_t mark_of(const toft_pool *pool) {
    return (uint64_t)(uintptr_t)pool * UINT64_C(0x9E3779B97F4A7C15);
}

/* True of a live pool alone, whatever the address: nothing is read but objects of pools. */
static bool is_live(const toft_pool *pool) {
    if (toft_map_class(pool) < 0 || !toft_is_aligned(pool, 16) || toft_track_is_free(pool))
        return false;
    return pool->mark == mark_of(pool);
}

void toft_registry_add(toft_pool *pool) {
    toft_lock(&registry.lock);
    pool->id = ++registry.last_pool_id;
    pool->mark = mark_of(pool);
    TOFT_LIST_PUSH(registry.pools, pool);
    toft_unlock(&registry.lock);
}

bool toft_registry_remove(toft_pool *pool) {
    toft_lock(&registry.removal);
    toft_lock(&registry.lock);
    bool is_there = is_live(pool);
    if (is_there) {
        pool->mark = 0;
        TOFT_LIST_REMOVE(registry.pools, pool);
        if (registry.locked == pool) registry.locked = next_of(pool);
        toft_links_forget(pool);
    }
    toft_unlock(&registry.lock);
    toft_unlock(&registry.removal);
    return is_there;
}

/* --- forks --- */

static void lock_inside(toft_pool *pool) {
    pool->inside_is_locked = true;
    toft_shards_lock(pool);
    for (unsigned i = 0; i < TOFT_POOL_DEPOT_LOCKS; i++) toft_os_lock(&pool->depot_locks[i]);
}

static void unlock_inside(toft_pool *pool) {
    for (unsigned i = TOFT_POOL_DEPOT_LOCKS; i-- > 0;) toft_os_unlock(&pool->depot_locks[i]);
    toft_shards_unlock(pool);
    pool->inside_is_locked = false;
}

/* Who has the lock of a shard or a depot is inside a cache, or holds the pool's lock: these needn't
   be taken beside thousands of pools where the caches are stolen. While a tool tracks memory,
   objects come from depots without either. */
static void lock_rest(toft_pool *pool, bool may_steal) {
    if (may_steal) toft_caches_wait(pool);
    if (!may_steal || toft_tracking()) lock_inside(pool);
    toft_os_lock(&pool->large.lock);
    toft_os_lock(&pool->heap.growth);
    toft_os_lock(&pool->heap.lock);
}

/* One after the other, since who is inside such a pool may wait for an older one: that one must
   still be free. */
static bool lock_pools_with_upstream(void) {
    bool stolen = true;
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool)) {
        if (toft_heap_from_system(&pool->heap)) continue;
        toft_os_lock(&pool->lock);
        bool may_steal = !toft_caches_ask(pool) || toft_steal_begin();
        lock_rest(pool, may_steal);
        if (!may_steal) stolen = false;
    }
    return stolen;
}

/* All at once, with one barrier for as many as there are: who is inside such a pool waits for no
   other. */
static bool lock_pools_of_system(void) {
    bool any_is_asked = false;
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool)) {
        if (!toft_heap_from_system(&pool->heap)) continue;
        toft_os_lock(&pool->lock);
        if (toft_caches_ask(pool)) any_is_asked = true;
    }
    bool may_steal = !any_is_asked || toft_steal_begin();
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool))
        if (toft_heap_from_system(&pool->heap)) lock_rest(pool, may_steal);
    return may_steal;
}

static void unlock_pool(toft_pool *pool) {
    toft_os_unlock(&pool->heap.lock);
    toft_os_unlock(&pool->heap.growth);
    toft_os_unlock(&pool->large.lock);
    if (pool->inside_is_locked) unlock_inside(pool);
    toft_caches_end_stealing(pool);
    toft_os_unlock(&pool->lock);
}

static bool before_fork(void) {
    toft_os_lock(&registry.removal);
    toft_os_lock(&registry.lock);
    registry.locked = newest();
    bool stolen = lock_pools_with_upstream();
    if (!lock_pools_of_system()) stolen = false;
    toft_segments_lock();
    toft_links_lock();
    return stolen;
}

static void in_child(bool stolen) {
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool)) {
        toft_caches_in_child(pool, stolen);
        if (pool->heap.discards != 0)
            pool->heap.discards = 0; /* by threads that don't exist here */
    }
}

/* Other handlers of the fork may have made pools since, whose locks nobody took. */
static void after_fork(void) {
    toft_links_unlock();
    toft_segments_unlock();
    for (toft_pool *pool = registry.locked; pool != NULL; pool = next_of(pool)) unlock_pool(pool);
    toft_os_unlock(&registry.lock);
    toft_os_unlock(&registry.removal);
}

/* --- the rest --- */

/* One of several pools has it. The name is the user's, and may go with its pool once no lock is
   held. */
typedef struct first_misuse {
    toft_misused misused;
    char name[TOFT_TEXT_CLIPPED_BYTES + 2]; /* one byte more than is told */
} first_misuse;

static void note_misuse(first_misuse *first, toft_pool *pool) {
    if (first->misused.message != NULL || !toft_pool_is_misused(pool)) return;
    first->misused = toft_pool_take_misuse(pool);
    size_t length = toft_min(strlen(first->misused.pool), sizeof first->name - 1);
    memcpy(first->name, first->misused.pool, length);
    first->name[length] = '\0';
    first->misused.pool = first->name;
}

static void thread_ends(toft_thread *thread) {
    toft_pool_shared_cache = &toft_pool_of_process.none;
    first_misuse first = {.misused.message = NULL};
    toft_lock(&registry.removal);
    for (toft_cache *cache; (cache = toft_links_cache_of(thread)) != NULL;) {
        toft_pool *pool = cache->fast.pool;
        toft_caches_leave(cache);
        toft_heap_unmap_left(&pool->heap);
        note_misuse(&first, pool);
    }
    toft_unlock(&registry.removal);
    if (first.misused.message != NULL) toft_misuse_of(&first.misused);
}

/* Other pools' memory would go to their upstreams, not to the system. */
static void reclaim(void) {
    first_misuse first = {.misused.message = NULL};
    toft_lock(&registry.lock);
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool)) {
        if (!toft_heap_from_system(&pool->heap)) continue;
        toft_pool_give_idle_back(pool);
        note_misuse(&first, pool);
    }
    toft_unlock(&registry.lock);
    toft_segments_trim();
    if (first.misused.message != NULL) toft_misuse_of(&first.misused);
}

/* The next pool of a round. False where it is at its end. */
static bool decay_next(uint64_t now_ms) {
    toft_lock(&registry.lock);
    toft_pool *pool = toft_links_next_awake(&now_ms);
    if (pool != NULL && toft_pool_decay_at(pool, now_ms) && toft_pool_keeps_nothing(pool))
        toft_links_let_rest(pool);
    toft_unlock(&registry.lock);
    return pool != NULL;
}

/* A few pools, so that no call waits long beside many: the round goes on with the next calls. A
   pool that it reaches late has more halvings to do. */
static bool decay(uint64_t now_ms) {
    enum { pools_at_once = 4 };
    toft_segments_decay(now_ms);
    unsigned pools = pools_at_once;
    while (pools != 0 && decay_next(now_ms)) pools--;
    return pools == 0;
}

/* Live objects keep the map: those who free them may come later than this. */
static void unload(void) {
    bool any_is_live = false;
    toft_pool_shared_cache = &toft_pool_of_process.none;
    for (toft_pool *pool = newest(); pool != NULL; pool = next_of(pool)) {
        toft_caches_unload(pool);
        toft_pool_trim(pool);
        if (pool->heap.reserved_bytes != 0) any_is_live = true;
    }
    if (!any_is_live) toft_map_unload();
}

static const toft_listener listener = {
    .before_fork = before_fork,
    .in_child = in_child,
    .after_fork = after_fork,
    .thread_ends = thread_ends,
    .reclaim = reclaim,
    .decay = decay,
    .unload = unload,
};

void toft_registry_listen(void) { toft_listen(toft_room_pool, &listener); }

TOFT_AT_LOAD static void at_load(void) { toft_registry_listen(); }
