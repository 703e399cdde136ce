/* SPDX-License-Identifier: MIT */
/* Objects whose size the caller doesn't know. */
#ifndef TOFT_POOL_ANY_H
#define TOFT_POOL_ANY_H

#include "pool/pool.h"

/* Frees an object of the cache's pool, or NULL. False for what is no object of this pool, and
   nothing has been done then; but a small object of another pool is not told apart. */
bool toft_try_free_any(toft_pool_cache *cache, void *object);

#endif
