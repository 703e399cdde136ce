/* SPDX-License-Identifier: MIT */
/* A shard: where threads of a pool exchange magazines.
 *
 * With one list of full magazines for a class, whoever hands one on would write the list's line and
 * its lock's, and many processors would wait for each other. So a pool has as many shards as there
 * are processors, and each cache has one of its own. There it leaves its full magazines. It takes
 * full ones from there, or from where it found the last one, or from a shard that it picks at
 * random, as a worker steals work (R. Blumofe and C. Leiserson, Scheduling multithreaded
 * computations by work stealing, Journal of the ACM, 1999). Its empty ones it leaves where it found
 * the full ones: with a thread that will fill them. tests/model/exchange.cpp shows what that gains
 * on many processors; two are served by one shard. */
#ifndef TOFT_POOL_SHARD_H
#define TOFT_POOL_SHARD_H

#include "base/sanitizers.h"
#include "os/os.h"
#include "pool/magazine.h"

struct toft_cache;

/* A fork may have to hold the locks of all shards, and ThreadSanitizer bears no more than 64. */
#if defined(TOFT_THREAD_SANITIZER)
    #define TOFT_POOL_SHARDS_MAX 16U
#else
    #define TOFT_POOL_SHARDS_MAX 128U
#endif

/* The magazines of one class in one shard. */
typedef struct toft_rack {
    toft_magazine *full;
    toft_magazine *empty;
    uint16_t full_count;
    uint16_t full_low; /* the least that full_count has been since the last step of decay */
    uint16_t empty_count;
} toft_rack;

typedef struct toft_shard {
    toft_os_mutex lock;
    size_t full_bytes; /* the slots in full magazines of all classes; read as an atomic */
    toft_rack racks[TOFT_POOL_CLASSES];
} toft_shard;

/* The shards of a pool. A thread that is alone needs no second one. */
typedef struct toft_shards {
    toft_shard first;
    toft_shard *others[TOFT_POOL_SHARDS_MAX - 1]; /* made with the first cache that has it */
    unsigned count_log2; /* of the shards that caches may have; atomic, guarded by pool.lock */
    unsigned caches;     /* how many caches got a shard so far; likewise */
} toft_shards;

/* --- no shard's lock is held, and no depot's --- */

/* The shard of a new cache: by turns. The pool's lock is held. */
unsigned toft_shard_of_new_cache(toft_pool *pool);

/* Whether no second cache was ever made, so that nobody waits for magazines. */
bool toft_shards_serve_one(const toft_pool *pool);

/* A full magazine, from any shard, or NULL. *empty is left in its place, and is NULL then, unless
   there are enough of them. */
toft_magazine *toft_shards_take_full(toft_pool *pool, struct toft_cache *cache, unsigned size_class,
                                     toft_magazine **empty);
/* Leaves a full magazine in a shard. False where there is no room for it. *empty is an empty one
   then, or NULL. */
bool toft_shard_give_full(toft_pool *pool, unsigned shard, unsigned size_class, toft_magazine *full,
                          toft_magazine **empty);
/* NULL where there is none. */
toft_magazine *toft_shard_take_empty(toft_pool *pool, unsigned shard, unsigned size_class);
/* False where there are enough. */
bool toft_shard_give_empty(toft_pool *pool, unsigned shard, unsigned size_class,
                           toft_magazine *empty);

/* The slots in full magazines of all shards, in bytes, if each has as many as this one. Takes no
   lock. */
size_t toft_shards_full_bytes_by(toft_pool *pool, unsigned shard);
/* Whether any shard has a full magazine. Takes no lock: it may not see what others do meanwhile. */
bool toft_shards_keep_any(toft_pool *pool);
/* Takes from each shard the full magazines of a class that it did without since the last step of
   decay: half of them for each halving. Returns them as a list. */
toft_magazine *toft_shards_decay(toft_pool *pool, unsigned size_class, unsigned halvings);
/* Takes all full ones of one shard. Returns them in front of a list. */
toft_magazine *toft_shard_take_all_full(toft_pool *pool, unsigned shard, unsigned size_class,
                                        toft_magazine *list);
/* Takes all of them. */
toft_magazine *toft_shards_take_all_full(toft_pool *pool, unsigned size_class);
toft_magazine *toft_shards_take_all_empty(toft_pool *pool, unsigned size_class);
size_t toft_shards_count_full(toft_pool *pool, unsigned size_class);

/* The parts of a fork. The pool's lock is held. */
void toft_shards_lock(toft_pool *pool);
void toft_shards_unlock(toft_pool *pool);
/* When the library is unloaded: nobody has a cache any more, and the shards are empty. */
void toft_shards_unload(toft_pool *pool);

#endif
