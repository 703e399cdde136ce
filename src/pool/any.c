/* SPDX-License-Identifier: MIT */
/* Objects whose size the caller doesn't know: what the map of the address space says of them. */
#include "pool/any.h"

#include "os/tracking.h"
#include "pool/caches.h"
#include "pool/map.h"

bool toft_try_free_any(toft_pool_cache *cache, void *object) {
    toft_pool *pool = cache->pool;
    int size_class = toft_map_class(object);
    if (size_class >= 0) {
        /* A tool's record behind the object has its size. */
        if (toft_tracking())
            toft_tracked_give_any(pool, object);
        else
            toft_pool_give_slow(cache, object, (unsigned)size_class, 0);
        return true;
    }
    if (object == NULL) return true;
    toft_large *record = toft_large_find(object);
    if (record == NULL || record->pool != pool) return false;
    toft_large_give(cache, record);
    return true;
}

void *toft_try_borrow(toft_pool_cache *cache, size_t size) {
    if (size > TOFT_LENT_MAX) return NULL;
    unsigned size_class = toft_pool_class_of(size);
    bool has_own = toft_pool_top(cache, size_class) != TOFT_NO_MAGAZINE_TOP;
    if (has_own || toft_tracking()) return NULL;
    toft_cache *own = toft_own_cache(cache);
    if (own == NULL) return NULL;
    toft_owned_enter(&own->lock);
    void *object = toft_cache_borrow(own, size_class);
    toft_owned_leave(&own->lock);
    return object;
}

void toft_pool_free_any_slow(void *object, toft_pool_cache *cache) {
    if (!toft_try_free_any(cache, object))
        toft_pool_misuse(cache->pool, object,
                         "freed, but it is no object of this pool, or the pool was destroyed");
}

toft_pool *toft_pool_of(const void *object) {
    if (toft_map_class(object) >= 0) return toft_segment_of(object)->pool;
    const toft_large *record = toft_large_find(object);
    return record == NULL ? NULL : record->pool;
}

size_t toft_pool_usable_bytes(const void *object) {
    int size_class = toft_map_class(object);
    if (size_class >= 0)
        return toft_tracking() ? toft_tracked_size(object) : toft_slot_bytes((unsigned)size_class);
    const toft_large *record = toft_large_find(object);
    return record == NULL ? 0 : toft_large_usable_bytes(record);
}
