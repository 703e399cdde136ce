/* SPDX-License-Identifier: MIT */
/* A pool that looks at each address that is freed: see checked.c. */
#ifndef TOFT_POOL_CHECKED_H
#define TOFT_POOL_CHECKED_H

#include "pool/pool.h"

/* From now on the process's pool looks at small objects that are freed: an address where none
   begins is a misuse, and so is one that is free already. Each call then takes the pool's lock. For
   a constructor, before other threads are started: they would keep the caches that they have. */
void toft_pool_check_frees(toft_pool *pool);

/* For such a pool, with its lock held. The first is NULL where there is no memory. */
void *toft_checked_take(toft_pool *pool, unsigned size_class);
void toft_checked_give(toft_pool *pool, void *object, unsigned size_class);

#endif
