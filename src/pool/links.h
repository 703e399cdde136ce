/* SPDX-License-Identifier: MIT */
/* The short ways to what matters among many pools: from a thread to its caches, and to the pools
 * that are awake. A process may have thousands of pools, one for each session say, nearly all of
 * which rest. So the end of a thread visits those alone that the thread has used, and a step of
 * decay those that are awake: something may lie idle there, and its memory is the system's.
 *
 * The lists have a lock of their own, which is taken last. A pool and its caches leave them under
 * both of the registry's locks: what one finds here stays while one has either of them. */
#ifndef TOFT_POOL_LINKS_H
#define TOFT_POOL_LINKS_H

#include "pool/pool.h"

/* The cache has an owner now, or is about to have none any more. Its pool is awake then. The pool's
   lock is held. */
void toft_links_own(toft_cache *cache);
void toft_links_disown(toft_cache *cache);

/* One of the caches that the calling thread owns, which ends and had this record; NULL where it has
   none. One of the registry's locks is held. */
toft_cache *toft_links_cache_of(const toft_thread *thread);

/* The pool goes. Both of the registry's locks are held. */
void toft_links_forget(toft_pool *pool);

/* The next pool of a round through those that are awake; NULL at the end of the round, after which
   another one begins. The time becomes that at which the round began, so that no pool that is
   reached late misses the next one. One of the registry's locks is held. */
toft_pool *toft_links_next_awake(uint64_t *now_ms);

/* A step of decay has left nothing idle in a pool. If the next one finds the same, and nobody has
   woken the pool since, it isn't visited any more. It takes two, since a step may not see what
   another thread does at the same moment. */
void toft_links_let_rest(toft_pool *pool);

/* For a fork. */
void toft_links_lock(void);
void toft_links_unlock(void);

#endif
