/* SPDX-License-Identifier: MIT */
/* Threads: which cache is whose, and what becomes of it.
 *
 * A thread that ends leaves its caches as orphans, and the next new thread adopts one, magazines
 * and all. What a thread does after that, in destructors that run later still, goes through the
 * pool's common cache: nothing is then made for it that no further end would clear away. */
#include <string.h>

#include "base/list.h"
#include "os/tracking.h"
#include "pool/caches.h"
#include "pool/links.h"
#include "pool/registry.h"
#include "pool/slots.h"

/* --- a pool's caches; its lock is held --- */

/* What is found goes to the front: so threads that come and go, or use many pools, find theirs soon
   beside thousands that rest. */
static void move_to_front(toft_pool *pool, toft_cache *cache) {
    TOFT_LIST_REMOVE(pool->caches, cache);
    TOFT_LIST_PUSH(pool->caches, cache);
}

/* NULL where the owner has none. */
static toft_cache *find_owned(toft_pool *pool, const toft_thread *owner) {
    toft_cache *found = pool->caches;
    while (found != NULL && found->owner != owner) found = found->next;
    if (found != NULL) move_to_front(pool, found);
    return found;
}

static toft_cache *create(toft_pool *pool) {
    toft_cache *cache = toft_record_take(pool, toft_cache_class());
    if (cache == NULL) return NULL;
    toft_cache_init(cache, pool);
    cache->shard = (uint8_t)toft_shard_of_new_cache(pool);
    TOFT_LIST_PUSH(pool->caches, cache);
    return cache;
}

static void destroy(toft_pool *pool, toft_cache *cache) {
    TOFT_LIST_REMOVE(pool->caches, cache);
    toft_links_disown(cache);
    toft_cache_empty(cache);
    toft_record_give(pool, cache, toft_cache_class());
}

static void destroy_orphans(toft_pool *pool) {
    for (; pool->orphans != 0; pool->orphans--) destroy(pool, find_owned(pool, NULL));
}

static toft_cache *adopt(toft_pool *pool) {
    if (pool->orphans == 0) return NULL;
    pool->orphans--;
    return find_owned(pool, NULL);
}

/* --- what others keep --- */

static bool is_others(const toft_cache *cache) {
    return cache->owner != NULL && cache->owner != toft_this_thread;
}

/* The pool's lock is held, so that no two threads steal from its caches. Returns whether there is
   any. */
static bool ask_for(toft_pool *pool, bool (*is_wanted)(const toft_cache *)) {
    bool any_is_asked = false;
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) {
        if (!is_wanted(cache)) continue;
        toft_steal_ask(&cache->lock);
        any_is_asked = true;
    }
    return any_is_asked;
}

static void retire_others(toft_pool *pool) {
    bool may_steal = ask_for(pool, is_others) && toft_steal_begin();
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) {
        if (!toft_steal_is_asked(&cache->lock)) continue;
        if (may_steal) {
            toft_steal_wait(&cache->lock);
            toft_cache_retire(cache);
        }
        toft_steal_end(&cache->lock);
    }
}

/* The calling thread's cache, or NULL. The inlined paths know that of the shared pool. */
static toft_cache *find_own(toft_pool *pool) {
    if (!toft_this_thread->open) return NULL;
    if (pool == &toft_pool_of_process) return toft_made_cache(toft_pool_shared_cache);
    return find_owned(pool, toft_this_thread);
}

static void empty_own(toft_pool *pool) {
    toft_cache *own = find_own(pool);
    if (own == NULL) return;
    toft_owned_enter(&own->lock);
    toft_cache_empty(own);
    toft_owned_leave(&own->lock);
}

void toft_caches_reclaim(toft_pool *pool) {
    bool may_steal = toft_thread_may_steal();
    toft_lock(&pool->lock);
    empty_own(pool);
    if (may_steal) retire_others(pool);
    destroy_orphans(pool);
    toft_cache_empty(&pool->common);
    toft_unlock(&pool->lock);
}

/* A cache that did nothing since the last step, and something since all was taken from it. */
static bool is_idle(const toft_cache *cache) {
    return cache->exchanges_then == toft_cache_exchanges(cache) && !toft_cache_is_spent(cache);
}

static bool is_idle_others(const toft_cache *cache) { return is_others(cache) && is_idle(cache); }

/* Nobody waits for anybody: a thread that is inside its cache isn't idle any more. */
static void retire_idle(toft_pool *pool) {
    bool may_steal = ask_for(pool, is_idle_others) && toft_steal_begin();
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) {
        if (!toft_steal_is_asked(&cache->lock)) continue;
        if (may_steal && toft_steal_finds_outside(&cache->lock) && is_idle(cache)) {
            toft_cache_retire(cache);
            toft_cache_set_spent(cache, true);
        }
        toft_steal_end(&cache->lock);
    }
}

/* Nobody uses an orphan: even its magazines in use can be emptied. */
static void empty_idle_orphans(toft_pool *pool) {
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) {
        if (cache->owner != NULL || !is_idle(cache)) continue;
        toft_cache_empty(cache);
        toft_cache_set_spent(cache, true);
    }
}

/* A thread that does little gives up what it has in use, too: a few slots of each class that were
   freed in a random order keep a span each. */
static void decay_own(toft_pool *pool, unsigned halvings) {
    enum { few_exchanges = 256 };
    toft_cache *own = find_own(pool);
    if (own == NULL) return;
    toft_owned_enter(&own->lock);
    if ((uint16_t)(own->exchanges - own->exchanges_then) < few_exchanges)
        toft_cache_empty(own);
    else
        toft_cache_decay(own, halvings);
    toft_owned_leave(&own->lock);
}

/* What threads that end have left, and all threads where none can have a cache of its own. */
static void decay_common(toft_pool *pool, unsigned halvings) {
    toft_cache *common = &pool->common;
    if (is_idle(common)) {
        toft_cache_empty(common);
        toft_cache_set_spent(common, true);
    } else {
        toft_cache_decay(common, halvings);
    }
    common->exchanges_then = toft_cache_exchanges(common);
}

static void decay_others_and_own(toft_pool *pool, unsigned halvings) {
    decay_own(pool, halvings);
    retire_idle(pool);
    empty_idle_orphans(pool);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next)
        cache->exchanges_then = toft_cache_exchanges(cache);
}

void toft_caches_decay(toft_pool *pool, unsigned halvings) {
    bool may_steal = toft_thread_may_steal();
    toft_lock(&pool->lock);
    decay_common(pool, halvings);
    if (may_steal) decay_others_and_own(pool, halvings);
    toft_unlock(&pool->lock);
}

/* Whatever a step does for an idle cache, the next one needn't. */
static bool keeps_nothing(const toft_cache *cache) {
    return toft_cache_is_spent(cache) || (cache->exchanges_then == toft_cache_exchanges(cache) &&
                                          toft_cache_full_bytes(cache) == 0);
}

bool toft_caches_keep_nothing(toft_pool *pool) {
    toft_lock(&pool->lock);
    const toft_cache *cache = keeps_nothing(&pool->common) ? pool->caches : &pool->common;
    while (cache != NULL && keeps_nothing(cache)) cache = cache->next;
    toft_unlock(&pool->lock);
    return cache == NULL;
}

/* --- the calling thread --- */

/* Nobody steals from the pool's caches while the pool's lock is held, so that the cache's own lock
   isn't needed. */
void toft_caches_leave(toft_cache *cache) {
    toft_pool *pool = cache->fast.pool;
    toft_lock(&pool->lock);
    if (pool->orphans < TOFT_POOL_ORPHANS_MAX) {
        move_to_front(pool, cache); /* where it is soon found */
        toft_links_disown(cache);
        toft_cache_retire(cache);
        toft_cache_forget_taken(cache);
        toft_cache_set_spent(cache, false); /* since what the thread had in use can be taken now */
        /* Other threads may adopt what this one names. */
        memset(cache->fast.recent, 0, sizeof cache->fast.recent);
        cache->owner = NULL;
        pool->orphans++;
    } else {
        destroy(pool, cache);
    }
    toft_unlock(&pool->lock);
}

/* For the calling thread, which is open. */
static toft_cache *find_or_make(toft_pool *pool) {
    toft_lock(&pool->lock);
    toft_cache *own = find_own(pool), *cache = own;
    if (cache == NULL) cache = adopt(pool);
    if (cache == NULL) cache = create(pool);
    if (cache != own) {
        cache->owner = toft_this_thread;
        toft_links_own(cache);
    }
    toft_unlock(&pool->lock);
    return cache;
}

/* From now on the inlined paths find the cache. The thread's cache of the shared pool names those
   of other pools, so that a thread always has that one too. */
static void open_inlined_paths(toft_pool *pool, toft_cache *cache) {
    toft_cache *shared = cache;
    if (pool != &toft_pool_of_process) shared = find_or_make(&toft_pool_of_process);
    if (shared == NULL) return;
    toft_pool_shared_cache = &shared->fast;
    if (pool == &toft_pool_of_process) return;
    unsigned place = (unsigned)(pool->id % TOFT_POOL_RECENT);
    shared->fast.recent[place].pool_id = pool->id;
    shared->fast.recent[place].cache = &cache->fast;
}

toft_cache *toft_thread_cache(toft_pool *pool) {
    if (toft_tracking() || toft_pool_is_checked(pool)) return NULL;
    if (!toft_thread_open()->open) return NULL;
    toft_cache *cache = find_or_make(pool);
    if (cache != NULL) open_inlined_paths(pool, cache);
    return cache;
}

toft_pool_cache *toft_pool_thread_cache(toft_pool *pool) {
    toft_cache *cache = toft_thread_cache(pool);
    return cache != NULL ? &cache->fast : &pool->none;
}

/* --- what happens to the process --- */

bool toft_caches_ask(toft_pool *pool) { return ask_for(pool, is_others); }

void toft_caches_wait(toft_pool *pool) {
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next)
        if (toft_steal_is_asked(&cache->lock)) toft_steal_wait(&cache->lock);
}

/* What isn't written needn't be copied after a fork. */
void toft_caches_end_stealing(toft_pool *pool) {
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next)
        if (toft_steal_is_asked(&cache->lock)) toft_steal_end(&cache->lock);
}

static void count_claims(toft_pool *pool) {
    pool->claimed_bytes = pool->common.claimed_bytes;
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next)
        pool->claimed_bytes += cache->claimed_bytes;
}

/* The threads of the other caches don't exist in the child. The magazines that they had in use may
   be half changed, and are lost: at most 64 KiB of slots for each class and thread. */
void toft_caches_in_child(toft_pool *pool, bool stolen) {
    bool any_goes = false;
    for (toft_cache *cache = pool->caches, *next; cache != NULL; cache = next) {
        next = cache->next;
        if (!is_others(cache)) continue;
        TOFT_LIST_REMOVE(pool->caches, cache);
        toft_links_disown(cache);
        any_goes = true;
        if (!stolen) continue;
        toft_cache_abandon(cache);
        toft_cache_empty(cache);
        toft_record_give(pool, cache, toft_cache_class());
    }
    if (!any_goes) return;
    count_claims(pool);
    toft_pool_wake(pool);
}

void toft_caches_unload(toft_pool *pool) {
    while (pool->caches != NULL) destroy(pool, pool->caches);
    pool->orphans = 0;
    toft_cache_empty(&pool->common);
    toft_depot_trim(pool);
    toft_shards_unload(pool);
}
