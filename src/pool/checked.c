/* SPDX-License-Identifier: MIT */
/* A pool that looks at each address that is freed.
 *
 * No thread has a cache of it, so that its free slots all are in their spans, whose bits tell which
 * they are. The inlined paths find the empty cache that is full, too, and lead here: so that other
 * pools pay nothing for this. */
#include "pool/checked.h"

#include "pool/any.h"
#include "pool/caches.h"
#include "pool/slots.h"

void toft_pool_check_frees(toft_pool *pool) {
    toft_cache *own = toft_made_cache(toft_pool_shared_cache);
    __atomic_store_n(&pool->is_checked, true, __ATOMIC_RELAXED);
    if (own == NULL) return;
    toft_pool_shared_cache = &pool->none;
    toft_caches_leave(own);
    toft_caches_reclaim(pool);
}

void *toft_checked_take(toft_pool *pool, unsigned size_class) {
    toft_cache_count_exchange(&pool->common);
    return toft_slot_take(pool, size_class);
}

void toft_checked_give(toft_pool *pool, void *object, unsigned size_class) {
    toft_place place = toft_place_of(object);
    if (place.bytes == 0 || place.offset_bytes != 0)
        toft_pool_note_misuse(pool, object, "freed, but no object begins there");
    else
        toft_slot_give(pool, object, size_class);
}
