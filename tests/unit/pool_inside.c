/* SPDX-License-Identifier: MIT */
#include "pool_inside.h"

#include "pool/any.h"

const toft_pool_cache *toft_test_first_cache(const toft_pool *pool) { return &pool->caches->fast; }

bool toft_test_is_growth(const toft_pool *pool, const void *lock) {
    return lock == &pool->heap.growth;
}

bool toft_test_is_pool_lock(const toft_pool *pool, const void *lock) { return lock == &pool->lock; }

void *toft_test_borrow(toft_pool *pool, size_t size) {
    return toft_try_borrow(toft_pool_thread_cache(pool), size);
}
