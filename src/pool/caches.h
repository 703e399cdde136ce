/* SPDX-License-Identifier: MIT */
/* All caches of a pool: whose they are, and what is taken from idle threads: see thread.c. */
#ifndef TOFT_POOL_CACHES_H
#define TOFT_POOL_CACHES_H

#include "pool/pool.h"

/* The calling thread's cache, made if need be; NULL where it can't have one. */
toft_cache *toft_thread_cache(toft_pool *pool);
/* The same, from what the inlined paths know of it. The second makes none. */
static inline toft_cache *toft_own_cache(toft_pool_cache *fast) {
    return fast != &fast->pool->none ? (toft_cache *)fast : toft_thread_cache(fast->pool);
}
static inline toft_cache *toft_made_cache(toft_pool_cache *fast) {
    return fast != &fast->pool->none ? (toft_cache *)fast : NULL;
}
/* Puts the free slots that the caches of all threads keep into the depots and spans. */
void toft_caches_reclaim(toft_pool *pool);
/* A step of decay, for the calling thread's cache and those of threads that did nothing since. */
void toft_caches_decay(toft_pool *pool, unsigned halvings);
/* Whether there is nothing for further steps, as long as no cache is used. */
bool toft_caches_keep_nothing(toft_pool *pool);
/* Leaves a cache of the calling thread, which ends, to other threads. */
void toft_caches_leave(toft_cache *cache);
/* The parts of a fork: see toft_listener. The pool's lock is held. The first asks for the locks of
   other threads' caches, and returns whether there are any; before the second, toft_steal_begin is
   to be called. */
bool toft_caches_ask(toft_pool *pool);
void toft_caches_wait(toft_pool *pool);
void toft_caches_end_stealing(toft_pool *pool);
void toft_caches_in_child(toft_pool *pool, bool stolen);
/* When the library is unloaded: puts all that caches hold into spans. */
void toft_caches_unload(toft_pool *pool);

#endif
