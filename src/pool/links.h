/* SPDX-License-Identifier: MIT */
/* The short way from a thread to its caches. A process may have thousands of pools, one for each
 * session say, nearly all of which rest: the end of a thread visits those alone that the thread has
 * used.
 *
 * The lists have a lock of their own, which is taken last. A pool's caches leave them under both of
 * the registry's locks: what one finds here stays while one has either of them. */
#ifndef TOFT_POOL_LINKS_H
#define TOFT_POOL_LINKS_H

#include "pool/pool.h"

/* The cache has an owner now, or is about to have none any more. The lock of its pool is held. */
void toft_links_own(toft_cache *cache);
void toft_links_disown(toft_cache *cache);

/* One of the caches that the calling thread owns, which ends, by its record; NULL where it has none.
   One of the registry's locks is held. */
toft_cache *toft_links_cache_of(const toft_thread *thread);

/* The pool goes. Both of the registry's locks are held. */
void toft_links_forget(toft_pool *pool);

/* For a fork. */
void toft_links_lock(void);
void toft_links_unlock(void);

#endif
