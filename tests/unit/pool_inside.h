/* SPDX-License-Identifier: MIT */
/* What only the library's own C can see of a pool. */
#ifndef TOFT_TESTS_UNIT_POOL_INSIDE_H
#define TOFT_TESTS_UNIT_POOL_INSIDE_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

/* The cache that is looked at first when one is looked for. */
const toft_pool_cache *toft_test_first_cache(const toft_pool *pool);

/* Whether the lock is the one that a thread holds while it makes a block for the pool. */
bool toft_test_is_growth(const toft_pool *pool, const void *lock);

/* Whether the lock is the pool's own. */
bool toft_test_is_pool_lock(const toft_pool *pool, const void *lock);

/* What the calling thread's cache borrows for a size: see toft_try_borrow. */
void *toft_test_borrow(toft_pool *pool, size_t size);

/* How much the pool's caches may keep in full magazines, as far as they have claimed it. */
size_t toft_test_claimed_bytes(const toft_pool *pool);

/* How many magazines there are. */
size_t toft_test_magazines(const toft_pool *pool);

/* Sets the limit, as the drop-in does when the pool may hold more already. */
void toft_test_set_limit(toft_pool *pool, size_t bytes);

/* As if the calling thread's cache had exchanged so many magazines, mod 65536. */
void toft_test_set_exchanges(toft_pool *pool, unsigned exchanges);

/* Notes that an object was freed as of the class of a size; see toft_pool_note_wrong_size. */
void toft_test_note_wrong_size(toft_pool *pool, const void *object, size_t size);

/* Takes what was noted: the object, or NULL where nothing was, and the bytes it was freed as. */
const void *toft_test_take_misuse(toft_pool *pool, size_t *bytes);

TOFT_EXTERN_C_END

#endif
