/* SPDX-License-Identifier: MIT */
#include "model/pool_inside.h"

#include "pool/pool.h"

bool toft_model_is_depot_lock(const toft_pool *pool, const toft_os_mutex *lock) {
    return lock >= pool->depot_locks && lock < pool->depot_locks + TOFT_POOL_DEPOT_LOCKS;
}

unsigned toft_model_looks(const toft_pool_cache *cache, uint32_t *then) {
    const uint32_t now = ((const toft_cache *)cache)->random;
    unsigned looks = 0;
    for (; *then != now; looks++) *then = *then * TOFT_RANDOM_FACTOR + 1;
    return looks;
}
