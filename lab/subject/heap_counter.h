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

#define TOFT_HEAP_COUNTS_READ "toft_heap_counts_read"

/* Thread-safe. Counts of other threads may be a moment old. */
typedef void toft_heap_counts_read_fn(struct toft_heap_counts *);

#endif
