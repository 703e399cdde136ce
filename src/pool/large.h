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
    struct toft_large *prev, *next; /* of live mappings of their own, or of what is kept */
    toft_run_block *block;          /* NULL for a mapping of its own */
    void *memory;                   /* the run, or as the upstream returned it */
    size_t bytes;
    size_t size; /* of the object */
} toft_large;

/* Eight to a doubling, from 32 KiB on. */
#define TOFT_LARGE_CLASSES 80U

typedef struct toft_large_store {
    toft_os_mutex lock;
    size_t live_bytes;
    size_t kept_bytes; /* free, and ready for other objects: the sum of what follows */
    toft_runs runs;
    toft_large *live;                     /* mappings of their own */
    toft_large *kept[TOFT_LARGE_CLASSES]; /* runs, then mappings, last in, first out */
    size_t kept_run_bytes;
    size_t kept_own_bytes;
    toft_spare *spare; /* of an upstream that takes nothing back */
    size_t spare_bytes;
    size_t kept_low_bytes; /* the least of kept_bytes since the last step of decay */
    unsigned frees;        /* so far */
} toft_large_store;

/* Gives back the large objects kept for reuse. */
void toft_large_trim(toft_pool *pool);
/* The same for what was kept since the last step, but for so many halvings of it. */
void toft_large_decay(toft_pool *pool, unsigned halvings);
void toft_large_destroy(toft_pool *pool);

#endif
