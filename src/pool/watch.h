/* SPDX-License-Identifier: MIT */
/* Memory that comes back while a program makes few calls.
 *
 * Idle memory goes back by calls that look at the clock: those that exchange a magazine, since the
 * fast paths do nothing but what they must. But a program that has done its work, and goes on with
 * little, as a server does at night, uses the same few slots again and again, and exchanges none.
 *
 * So while much lies idle, a thread gives the magazines of one class away, the first that it
 * exchanges: it watches that class. Each call for it comes to the slow path from then on, takes or
 * gives one slot, and looks at the clock. Where there are many such calls within one tick of the
 * clock, the thread is busy: the class has a magazine again, for some milliseconds at least.
 *
 * One case can't be noticed: a thread that has just been busy, and uses nothing from then on but
 * classes whose magazines are neither full nor empty. */
#ifndef TOFT_POOL_WATCH_H
#define TOFT_POOL_WATCH_H

#include "pool/pool.h"

/* Whether the class has no magazine, and gets none. */
static inline bool toft_watch_has(const toft_cache *cache, unsigned size_class) {
    return TOFT_UNLIKELY(cache->watched == size_class + 1);
}

/* Whether so much lies idle, or in magazines that keep whole blocks from being idle, that a thread
   should look at the clock at each exchange. A user's upstream may take nothing back. */
bool toft_watch_is_wanted(toft_pool *pool, const toft_cache *own);

/* Looks at the clock, after an exchange of the class, and gives idle memory back. With no lock
   held. */
void toft_watch(toft_pool *pool, toft_cache *own, unsigned size_class);
/* The same after the free of a large object, of which there may have been many: the next calls may
   exchange nothing. */
void toft_watch_after_large(toft_pool *pool, toft_cache *own);

#endif
