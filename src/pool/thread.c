/* SPDX-License-Identifier: MIT */
/* Threads: which cache is whose, and what becomes of it.
 *
 * A thread that exits leaves its caches as orphans, and the next new thread adopts one, magazines
 * and all. What a thread does after that, in destructors that run later still, goes through the
 * pool's common cache: nothing is then made for it that no further exit would clear away. */
#include "base/tracking.h"
#include "pool/registry.h"
#include "pool/slots.h"

static _Thread_local struct {
    uint64_t number; /* the registry's; 0 before the thread's first cache */
    bool uncached;   /* it is exiting, or its exit would go unheard */
} me;

/* --- a pool's caches; its lock is held --- */

static toft_cache **find_owned(toft_pool *pool, uint64_t owner) {
    toft_cache **link = &pool->caches;
    while (*link != NULL && (*link)->owner != owner) link = &(*link)->next;
    return link;
}

static toft_cache *create(toft_pool *pool) {
    toft_cache *cache = toft_record_take(pool, toft_cache_class());
    if (cache == NULL) return NULL;
    toft_cache_init(cache, pool);
    toft_cache_adopt(cache);
    cache->next = pool->caches;
    pool->caches = cache;
    return cache;
}

static void destroy(toft_pool *pool, toft_cache **link) {
    toft_cache *cache = *link;
    *link = cache->next;
    toft_cache_retire(cache);
    toft_cache_empty(cache);
    toft_record_give(pool, cache, toft_cache_class());
}

static toft_cache *adopt(toft_pool *pool) {
    if (pool->orphans == 0) return NULL;
    pool->orphans--;
    toft_cache *cache = *find_owned(pool, 0);
    toft_cache_adopt(cache);
    return cache;
}

static void orphan_mine(toft_pool *pool) {
    toft_os_lock(&pool->lock);
    toft_cache **link = find_owned(pool, me.number);
    if (*link != NULL && pool->orphans < TOFT_POOL_ORPHANS_MAX) {
        toft_cache_retire(*link);
        (*link)->owner = 0;
        pool->orphans++;
    } else if (*link != NULL) {
        destroy(pool, link);
    }
    toft_os_unlock(&pool->lock);
}

void toft_drop_orphans(toft_pool *pool) {
    toft_os_lock(&pool->lock);
    for (; pool->orphans != 0; pool->orphans--) destroy(pool, find_owned(pool, 0));
    toft_cache_empty(&pool->common);
    toft_os_unlock(&pool->lock);
}

/* --- the calling thread --- */

void toft_thread_exit(void) {
    me.uncached = true;
    toft_pool_this_thread = (toft_pool_thread){.shared = &toft_pool_of_process.none};
    if (me.number != 0) toft_registry_visit(orphan_mine);
    me.number = 0;
}

static bool may_have_cache(void) {
    if (me.uncached || me.number != 0) return !me.uncached;
    me.number = toft_registry_add_thread(&me);
    me.uncached = me.number == 0;
    return !me.uncached;
}

/* The inlined paths find the cache from now on, unless a tool must see each call. */
static void open_inlined_paths(toft_pool *pool, toft_cache *cache) {
    toft_pool_thread *thread = &toft_pool_this_thread;
    if (toft_tracking()) return;
    if (pool == &toft_pool_of_process) {
        thread->shared = &cache->fast;
        return;
    }
    thread->recent[pool->id % TOFT_POOL_RECENT].pool_id = pool->id;
    thread->recent[pool->id % TOFT_POOL_RECENT].cache = &cache->fast;
}

toft_cache *toft_thread_find_cache(toft_pool *pool) {
    if (me.number == 0) return NULL;
    toft_os_lock(&pool->lock);
    toft_cache *cache = *find_owned(pool, me.number);
    toft_os_unlock(&pool->lock);
    return cache;
}

toft_cache *toft_thread_cache(toft_pool *pool) {
    if (!may_have_cache()) return NULL;
    toft_os_lock(&pool->lock);
    toft_cache *cache = *find_owned(pool, me.number);
    if (cache == NULL) cache = adopt(pool);
    if (cache == NULL) cache = create(pool);
    if (cache != NULL) cache->owner = me.number;
    toft_os_unlock(&pool->lock);
    if (cache != NULL) open_inlined_paths(pool, cache);
    return cache;
}

toft_pool_cache *toft_pool_thread_cache(toft_pool *pool) {
    toft_cache *cache = toft_thread_cache(pool);
    return cache != NULL && !toft_tracking() ? &cache->fast : &pool->none;
}
