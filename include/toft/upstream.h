/* SPDX-License-Identifier: MIT */
/* Where a strategy's memory comes from.
 *
 * An arena takes few, large chunks from its upstream and hands out small pieces of them. The
 * default upstream, all zero, is the system: pages, with huge ones where they are filled, and a
 * process-wide recycler that keeps released chunks warm for the next arena (see toft_trim). */
#ifndef TOFT_UPSTREAM_H
#define TOFT_UPSTREAM_H

#include <stddef.h>

#include <toft/config.h>
#include <toft/process.h>

TOFT_EXTERN_C_BEGIN

/* All NULL is the system. Only then may allocate be NULL.
   Neither function may throw, or leave by longjmp: the pool would stay locked, for all threads.
   An arena or a reap calls them on its own thread. A pool calls them on any thread that uses it,
   one call at a time. Calls of two pools, arenas or reaps with the same upstream may overlap.
   A pool calls its upstream with locks of the pool held, and a fork waits for these locks. So a
   lock that the upstream takes must not be held
   - by a handler of pthread_atfork until after the fork: the fork would wait for the call, and the
     call for the handler's lock;
   - by a thread that uses a newer pool or calls toft_trim, where other threads fork: the fork has
     locked the newer pool, and waits for the older one's call.
   A fork itself calls no function of an upstream.
   No pool may be created or destroyed in such a call, nor under a lock that the upstream takes: a
   thread that ends, or forks, waits for the call, and until then lets no pool come or go. */
typedef struct toft_upstream {
    /* Returns `bytes` bytes aligned to `alignment`, a power of two, or NULL when there are none. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment)TOFT_ZEROED;
    /* Takes back what `allocate` returned, with the same bytes and alignment. NULL instead of a
       function: memory is never given back, as for a static buffer. Whoever took it then keeps it
       for its own reuse, through a release too. An arena that is initialised anew loses it. */
    void (*free)(void *context, void *memory, size_t bytes, size_t alignment) TOFT_ZEROED;
    /* Handed to both. */
    void *context TOFT_ZEROED;
} toft_upstream;

/* As keep_bytes in the options of an arena, a reap or a pool: what is free isn't kept for reuse,
   but goes back at once. 0, the default, means something else there: an arena and a reap keep all,
   and a pool decides. */
#define TOFT_KEEP_NOTHING 1

TOFT_EXTERN_C_END

#endif
