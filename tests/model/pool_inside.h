/* SPDX-License-Identifier: MIT */
/* What the model of exchanges sees of a pool's inside, which is C. */
#ifndef TOFT_TESTS_MODEL_POOL_INSIDE_H
#define TOFT_TESTS_MODEL_POOL_INSIDE_H

#include <toft/pool.h>

#include "os/os.h"

TOFT_EXTERN_C_BEGIN

bool toft_model_is_depot_lock(const toft_pool *pool, const toft_os_mutex *lock);
/* How many shards that it picked at random a thread's cache has looked at since the last call with
   the same *then, which is set by the first. */
unsigned toft_model_looks(const toft_pool_cache *cache, uint32_t *then);

TOFT_EXTERN_C_END

#endif
