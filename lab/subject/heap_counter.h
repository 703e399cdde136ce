/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_HEAP_COUNTER_H
#define TOFT_LAB_HEAP_COUNTER_H

#include <stdint.h>

/* What a process has asked of the heap so far, counted by a shared object that is loaded before
 * glibc. Found at run time by its name: the lab's own command doesn't link it. */

struct toft_heap_counts {
    uint64_t allocations;
    uint64_t deallocations; /* freeing NULL isn't one */
    uint64_t bytes;         /* as asked for, all allocations together */
};

/* What was stored in objects that were allocated while stores were watched, and have been freed
 * since. Those larger than 64 KiB don't count: many programs ask for more than they touch. */
struct toft_heap_stores {
    uint64_t objects;
    uint64_t bytes; /* written at least once, all these objects together */
};

#define TOFT_HEAP_COUNTS_READ "toft_heap_counts_read"
#define TOFT_HEAP_STORES_READ "toft_heap_stores_read"
#define TOFT_HEAP_STORES_WATCH "toft_heap_stores_watch"

/* Thread-safe. Counts of other threads may be a moment old. */
typedef void toft_heap_counts_read_fn(struct toft_heap_counts *);
typedef void toft_heap_stores_read_fn(struct toft_heap_stores *);

/* From now on, whoever allocates: 1 watches what is stored in new objects, 0 doesn't. */
typedef void toft_heap_stores_watch_fn(int on);

#endif
