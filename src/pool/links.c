/* SPDX-License-Identifier: MIT */
#include "pool/links.h"

#include "base/check.h"

static struct {
    toft_os_mutex lock;
    toft_pool *awake;  /* those that woke last come first */
    toft_pool *next;   /* where a round through them goes on; NULL at its end */
    bool in_round;     /* which has begun and not ended, */
    uint64_t began_ms; /* at that time */
} links;

/* --- the lock is held --- */

static void own(toft_cache *cache) {
    toft_cache **list = &cache->owner->caches;
    TOFT_ASSERT(cache->owned_link == NULL);
    cache->next_owned = *list;
    cache->owned_link = list;
    if (*list != NULL) (*list)->owned_link = &cache->next_owned;
    *list = cache;
}

static void disown(toft_cache *cache) {
    if (cache->owned_link == NULL) return;
    *cache->owned_link = cache->next_owned;
    if (cache->next_owned != NULL) cache->next_owned->owned_link = cache->owned_link;
    cache->owned_link = NULL;
}

static void set_awake(toft_pool *pool, bool is_awake) {
    __atomic_store_n(&pool->is_awake, is_awake, __ATOMIC_RELAXED);
}

static void begin_visits(toft_pool *pool) {
    pool->next_awake = links.awake;
    pool->awake_link = &links.awake;
    if (links.awake != NULL) links.awake->awake_link = &pool->next_awake;
    links.awake = pool;
}

static void end_visits(toft_pool *pool) {
    if (pool->awake_link == NULL) return;
    if (links.next == pool) links.next = pool->next_awake;
    *pool->awake_link = pool->next_awake;
    if (pool->next_awake != NULL) pool->next_awake->awake_link = pool->awake_link;
    pool->awake_link = NULL;
}

/* Nothing has been idle in it until now: its next step only begins to count. */
static void wake(toft_pool *pool) {
    if (!toft_pool_rests(pool)) return;
    set_awake(pool, true);
    if (!toft_heap_from_system(&pool->heap) || pool->awake_link != NULL) return;
    begin_visits(pool);
    __atomic_store_n(&pool->decayed_at_ms, 0, __ATOMIC_RELAXED);
}

/* --- the functions --- */

void toft_links_own(toft_cache *cache) {
    toft_lock(&links.lock);
    own(cache);
    wake(cache->fast.pool);
    toft_unlock(&links.lock);
}

void toft_links_disown(toft_cache *cache) {
    toft_lock(&links.lock);
    disown(cache);
    wake(cache->fast.pool);
    toft_unlock(&links.lock);
}

/* Only the thread itself adds caches, and the registry's locks keep others from taking them out. */
toft_cache *toft_links_cache_of(const toft_thread *thread) { return thread->caches; }

void toft_links_forget(toft_pool *pool) {
    toft_lock(&links.lock);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) disown(cache);
    end_visits(pool);
    toft_unlock(&links.lock);
}

void toft_pool_wake_slow(toft_pool *pool) {
    toft_lock(&links.lock);
    wake(pool);
    toft_unlock(&links.lock);
}

toft_pool *toft_links_next_awake(uint64_t *now_ms) {
    toft_lock(&links.lock);
    if (!links.in_round) {
        links.next = links.awake;
        links.began_ms = *now_ms;
    }
    toft_pool *found = links.next;
    links.in_round = found != NULL;
    if (found != NULL) links.next = found->next_awake;
    *now_ms = links.began_ms;
    toft_unlock(&links.lock);
    return found;
}

void toft_links_let_rest(toft_pool *pool) {
    toft_lock(&links.lock);
    if (toft_pool_rests(pool)) end_visits(pool);
    set_awake(pool, false);
    toft_unlock(&links.lock);
}

void toft_links_lock(void) { toft_os_lock(&links.lock); }
void toft_links_unlock(void) { toft_os_unlock(&links.lock); }
