/* SPDX-License-Identifier: MIT */
/* Objects whose size the caller doesn't know. */
#ifndef TOFT_POOL_ANY_H
#define TOFT_POOL_ANY_H

#include "pool/pool.h"

/* Frees an object of the cache's pool, or NULL. False for what is no object of this pool, and
   nothing has been done then; but a small object of another pool is not told apart. */
bool toft_try_free_any(toft_pool_cache *cache, void *object);

/* An object that nobody will free by its size; NULL where it must be had in the usual way: see
   toft_cache_borrow. */
void *toft_try_borrow(toft_pool_cache *cache, size_t size);

/* Where an address lies, for messages: in which slot, in use or free, or in which large object. For
   an address whose memory nobody gives up meanwhile. May look at half a million units. */
toft_place toft_place_of(const void *address);

#endif
