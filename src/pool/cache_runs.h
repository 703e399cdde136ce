/* SPDX-License-Identifier: MIT */
/* The runs of a thread's cache: large objects' memory that it has freed and may soon want again, so
 * that threads which replace their buffers don't meet at the large store's lock.
 *
 * Runs are kept by their class, last in, first out, within what the cache may keep of magazines and
 * runs together. When that is too much, all of it goes to the store, and at each step of decay:
 * there neighbours join. To the store a cached run is live. */
#ifndef TOFT_POOL_CACHE_RUNS_H
#define TOFT_POOL_CACHE_RUNS_H

#include "pool/cache.h"

/* --- for the thread whose cache it is --- */

/* Sets memory and block of a record by a run of its bytes. False where the cache has none. */
bool toft_cache_take_run(toft_cache *cache, toft_large *taken);
/* False where the cache may not keep it. */
bool toft_cache_keep_run(toft_cache *cache, const toft_large *given);
/* Gives all of them to the store. False where there are none. */
bool toft_cache_join_runs(toft_cache *cache);

/* --- for who is inside the cache's lock, or holds that of the pool whose orphan it is --- */

void toft_cache_give_runs(toft_cache *cache);

/* For statistics: the owner may change it meanwhile. */
static inline size_t toft_cache_run_bytes(const toft_cache *cache) {
    return __atomic_load_n(&cache->runs.bytes, __ATOMIC_RELAXED);
}

#endif
