/* SPDX-License-Identifier: MIT */
#include "pool_inside.h"

#include "pool/pool.h"

const toft_pool_cache *toft_test_first_cache(const toft_pool *pool) { return &pool->caches->fast; }

bool toft_test_is_growth(const toft_pool *pool, const void *lock) {
    return lock == &pool->heap.growth;
}
