/* SPDX-License-Identifier: MIT */
/* The inside of a pool, and which lock guards what.
 *
 *     those of the registry  >  pool.lock  >  cache.lock  >  one of pool.shards
 *              >  one of pool.depot_locks  >  large.lock  >  heap.growth  >  heap.lock
 *              >  those of the pool's upstream, where that is an older pool  >  that of segments
 *              >  that of links
 *
 * A thread that holds a lock takes only those to its right. Those of shards and depots are taken
 * with pool.lock or a cache's lock held, unless a tool tracks memory. A fork takes all others, in
 * this order: first those of each pool with an upstream, one pool after the other, newest first;
 * then those of all other pools together. A cache's lock is owned by its thread, which enters it at
 * no cost; others steal what it guards (process/owned_lock.h). Besides, the map, some counters and
 * hints are atomics without a lock: each says so. All that hands memory on is under a lock, which
 * is taken once for a magazine's worth of objects. */
#ifndef TOFT_POOL_POOL_H
#define TOFT_POOL_POOL_H

#include "base/misuse.h"
#include "pool/cache.h"
#include "pool/depot.h"
#include "pool/heap.h"
#include "pool/large.h"
#include "pool/shard.h"
#include "pool/tracked.h"
#include "process/process.h"

/* How much memory may wait for reuse: in one thread's cache, in runs and in magazines besides those
   in use; in all caches together, where an eighth of what the pool holds is added; in the depots;
   in units that no span uses, and in large objects of either kind. The heap's idle_bound_bytes and
   toft_large_keep_bytes tell how much more the last two may be. */
#define TOFT_POOL_CACHE_BYTES ((size_t)2 << 20)
#define TOFT_POOL_CACHES_BYTES ((size_t)32 << 20)
#define TOFT_POOL_DEPOT_BYTES ((size_t)16 << 20)
#define TOFT_POOL_IDLE_BYTES ((size_t)16 << 20)
#define TOFT_POOL_LARGE_BYTES ((size_t)8 << 20)

/* Slots that were freed in another order than that of memory are kept in their cache, to be handed
   out again in the order of their frees, which costs least, only while what the thread has taken is
   small enough for a core's own cache of some MiB, or where they were handed out a moment ago: so
   that objects that follow each other stay neighbours as a large heap ages. */
#define TOFT_POOL_ORDER_BYTES ((size_t)2 << 20)

/* What lies idle of small and large objects together, beside the most that both used at once. */
#define TOFT_POOL_IDLE_BESIDE_BYTES ((size_t)32 << 20)

/* A pool that holds no more grows, rather than looks for memory that its magazines keep. */
#define TOFT_POOL_GATHER_MIN_BYTES ((size_t)2 << 20)

/* How many full magazines of one class its depot may keep. Slots that are freed beyond them go back
   to their spans at once, and are handed out again in the order of memory, not of their frees. */
#define TOFT_POOL_DEPOT_MAGAZINES 32U

/* Caches that wait for a thread to adopt them; more are emptied. */
#define TOFT_POOL_ORPHANS_MAX 16U

#define TOFT_POOL_OF_PROCESS_ID 1

struct toft_pool {
    uint64_t id;
    uint64_t mark; /* of a live pool, within its first 16 bytes: see registry.c */
    toft_pool_cache
        none; /* what a thread without a cache points to: every operation on it is slow */
    const char *name;
    bool is_checked;             /* no thread has a cache of its own: see checked.h; atomic */
    unsigned char misused_class; /* of a free that named a wrong size: see misuse below; atomic */
    toft_cache common;           /* for threads that can't have one of their own */
    toft_quarantine quarantine;
    uint64_t decayed_at_ms; /* the last step; atomic */
    toft_high high;         /* of small and large objects together; guarded by heap's lock */
    size_t gather_at_bytes; /* a smaller heap may grow as it likes; atomic */
    size_t claimed_bytes;   /* by caches, for their full magazines; atomic */
    const char *misuse;     /* a rule that was broken, found under locks; atomic */
    const void *misused;    /* and by what; NULL: nobody notes one; atomic */
    toft_shards shards;
    toft_os_mutex depot_locks[TOFT_POOL_DEPOT_LOCKS];
    toft_depot depots[TOFT_POOL_CLASSES];
    /* A fork writes to what follows, as far as the lock of large: so that lies together, in as few
       pages as can be, which the two processes then have a copy of each. */
    bool inside_is_locked;  /* a fork holds the locks of shards and depots, too */
    bool is_awake;          /* atomic; see links.h, as for the next two */
    toft_pool *next_awake;  /* of those that steps of decay visit */
    toft_pool **awake_link; /* the pointer there that points here; NULL for a pool that rests */
    toft_pool *prev, *next; /* of all pools; guarded by the registry's locks */
    toft_os_mutex lock;     /* of common, quarantine and the next two */
    toft_cache *caches;     /* of threads, and orphans */
    unsigned orphans;
    toft_heap heap;
    toft_large_store large;
};

/* Relaxed: threads that don't know it yet have caches, which does no harm. */
static inline bool toft_pool_is_checked(const toft_pool *pool) {
    return __atomic_load_n(&pool->is_checked, __ATOMIC_RELAXED);
}

/* Gives back what has been idle for a while, at that time: in this pool alone, which is false where
   it wasn't the time to do something; or in the whole process. With no lock held. */
bool toft_pool_decay_at(toft_pool *pool, uint64_t now_ms);
void toft_pool_decay_all_at(toft_pool *pool, uint64_t now_ms);
/* To be called now and then: it looks at the clock, and does something twice a second at most. */
static inline void toft_pool_decay(toft_pool *pool) {
    toft_pool_decay_all_at(pool, toft_os_milliseconds());
}
/* Whether nothing is left to decay. */
bool toft_pool_keeps_nothing(toft_pool *pool);

/* Whether steps of decay don't visit the pool any more. Relaxed: see toft_links_let_rest. */
static inline bool toft_pool_rests(const toft_pool *pool) {
    return !__atomic_load_n(&pool->is_awake, __ATOMIC_RELAXED);
}
/* To be called by whoever may leave something idle: steps of decay are to visit the pool. */
void toft_pool_wake_slow(toft_pool *pool);
static inline void toft_pool_wake(toft_pool *pool) {
    if (TOFT_UNLIKELY(toft_pool_rests(pool))) toft_pool_wake_slow(pool);
}

/* Goes on with what a step has left to do, here or among all pools, in a small part; and wakes the
   pool. With no lock held. */
void toft_pool_decay_on_slow(toft_pool *pool);
static inline bool toft_pool_owes(const toft_pool *pool) {
    return toft_heap_owes(&pool->heap) || toft_large_owes(&pool->large) || toft_pool_rests(pool) ||
           toft_decay_goes_on();
}

/* To be called at the end of whatever may have taken memory, with no lock held: gives back what
   lies idle of one kind where another has grown by 1 MiB. */
void toft_pool_balance_slow(toft_pool *pool);
static inline void toft_pool_balance(toft_pool *pool) {
    /* Relaxed: what this thread took it sees, and the rest is for who took it. */
    if (TOFT_UNLIKELY(__atomic_load_n(&pool->heap.grown_bytes, __ATOMIC_RELAXED) >> 20 != 0))
        toft_pool_balance_slow(pool);
}
/* A step of decay: forgets what was in use at once two steps ago. */
void toft_pool_balance_step(toft_pool *pool, unsigned halvings);

/* Prints what rule of which pool was broken, and aborts. With no lock held: a handler of SIGABRT
   may allocate, or fork. */
TOFT_NEVER_RETURNS void toft_pool_misuse(const toft_pool *pool, const void *object,
                                         const char *message);
/* The same, where the program called this function; the pool has a name that tells it nothing. */
TOFT_NEVER_RETURNS void toft_pool_misuse_by(const toft_pool *pool, const char *call,
                                            const void *object, const char *message);

/* The same of an object that lies there and was freed with a wrong size or alignment. */
TOFT_NEVER_RETURNS void toft_pool_misuse_of_size(const toft_pool *pool, const void *object,
                                                 toft_freed_as freed_as, toft_place place);

/* The same in two parts: under locks, and when none is held any more. What is noted of a wrong size
   is the class that it would be of. */
void toft_pool_note_misuse(toft_pool *pool, const void *object, const char *message);
void toft_pool_note_wrong_size(toft_pool *pool, const void *slot, unsigned size_class);
void toft_pool_tell_misuse_slow(toft_pool *pool);
/* What was noted and isn't told yet, for who tells it when the pool may be gone. No message:
   nothing was. */
toft_misused toft_pool_take_misuse(toft_pool *pool);
static inline bool toft_pool_is_misused(const toft_pool *pool) {
    return TOFT_UNLIKELY(__atomic_load_n(&pool->misuse, __ATOMIC_RELAXED) != NULL);
}
static inline void toft_pool_tell_misuse(toft_pool *pool) {
    if (toft_pool_is_misused(pool)) toft_pool_tell_misuse_slow(pool);
}

/* As toft_pool_trim, but tells of no misuse: the caller holds a lock. */
void toft_pool_give_idle_back(toft_pool *pool);

#endif
