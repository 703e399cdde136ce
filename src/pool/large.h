/* SPDX-License-Identifier: MIT */
/* A pool's objects beyond TOFT_POOL_SMALL_MAX: see large.c. */
#ifndef TOFT_POOL_LARGE_H
#define TOFT_POOL_LARGE_H

#include <toft/pool.h>

#include "chunk/runs.h"
#include "chunk/spare.h"
#include "os/os.h"

/* In front of such an object. */
typedef struct toft_large {
    struct toft_large *prev, *next; /* of mappings of their own, live or kept */
    toft_run_block *block;          /* NULL for such a mapping */
    void *memory;                   /* the run, or as the upstream returned it */
    size_t bytes;
    size_t size; /* of the object */
    toft_pool *pool;
    uint16_t map_before; /* for toft_map_remove_large */
    bool fresh;          /* the object was all zero when it was handed out */
} toft_large;

/* Eight to a doubling, from TOFT_RUN_MAX_BYTES on. */
#define TOFT_LARGE_CLASSES 40U

typedef struct toft_large_store {
    toft_os_mutex lock;
    size_t live_bytes;
    size_t kept_bytes; /* free, and ready for other objects: the sum of what follows */
    toft_runs runs;
    toft_large *live; /* mappings of their own */
    toft_large *kept[TOFT_LARGE_CLASSES];
    size_t kept_own_bytes;
    toft_spare *spare; /* of an upstream that takes nothing back */
    size_t spare_bytes;
} toft_large_store;

/* The record of the large object that starts at an address, of whatever pool; NULL where none does.
   Takes no lock. */
toft_large *toft_large_find(const void *object);
/* The bytes that the object may grow to in place. */
size_t toft_large_usable_bytes(const toft_large *record);
/* Frees the object. */
void toft_large_give(toft_large *record);
/* Gives the object another size, beyond TOFT_POOL_SMALL_MAX: in place, or by moving its pages.
   Returns where it is then; NULL where it can't be done, and nothing has changed. */
void *toft_large_resize(toft_large *record, size_t size);

/* Gives back the large objects kept for reuse. */
void toft_large_trim(toft_pool *pool);
void toft_large_destroy(toft_pool *pool);

#endif
