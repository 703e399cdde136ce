/* SPDX-License-Identifier: MIT */
#include "pool/links.h"

#include "base/check.h"

static struct {
    toft_os_mutex lock;
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

/* --- the functions --- */

void toft_links_own(toft_cache *cache) {
    toft_lock(&links.lock);
    own(cache);
    toft_unlock(&links.lock);
}

void toft_links_disown(toft_cache *cache) {
    toft_lock(&links.lock);
    disown(cache);
    toft_unlock(&links.lock);
}

/* Only the thread itself adds caches, and the registry's locks keep others from taking them out. */
toft_cache *toft_links_cache_of(const toft_thread *thread) { return thread->caches; }

void toft_links_forget(toft_pool *pool) {
    toft_lock(&links.lock);
    for (toft_cache *cache = pool->caches; cache != NULL; cache = cache->next) disown(cache);
    toft_unlock(&links.lock);
}

void toft_links_lock(void) { toft_os_lock(&links.lock); }
void toft_links_unlock(void) { toft_os_unlock(&links.lock); }
