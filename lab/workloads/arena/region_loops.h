/* SPDX-License-Identifier: MIT */
/* What the suite `arena` measures of one allocator: its loops. They are compiled together with the
 * allocator, so that its allocation is inlined where it can be. This header is C, because peers are
 * loaded as modules and one of them is written in Rust.
 *
 * Every loop makes a chain of its objects: it lets each object escape, writes the address of the
 * next one into its first 8 bytes (NULL in the last), and returns the first. So all loops do the
 * same stores, and nothing can be optimised away. malloc's loop needs no second list to find what
 * to free. It frees in the order of allocation, because glibc would trim its heap again and again
 * if the newest object were freed first. Objects are aligned to 8 bytes. No loop checks for NULL:
 * out of memory it crashes, and the lab reports that. */
#ifndef TOFT_LAB_REGION_LOOPS_H
#define TOFT_LAB_REGION_LOOPS_H

#include <stddef.h>
#include <stdint.h>

typedef struct toft_region_loops {
    const char *version; /* of the allocator; empty: the machine's own */

    /* One region at a time. The capacity is what will be allocated from it; only allocators that
     * must know it beforehand look at it. */
    void *(*make)(size_t capacity_bytes);
    void (*reset)(void *region, void *first);
    void (*release)(void *region, void *first);
    void *(*fill_8)(void *region, size_t count);
    void *(*fill_32)(void *region, size_t count);
    void *(*fill_mixed)(void *region, size_t count, const uint16_t *sizes);

    /* A number of rounds, each with regions of its own; they return the last round's first object,
     * which is no longer alive. */
    void *(*hot)(size_t rounds); /* one region; each round 1000 objects of 8 bytes, then a reset */
    void *(*request)(
        size_t rounds);          /* each round a region, 100 objects of 32 bytes, and its release */
    void *(*one)(size_t rounds); /* each round a region, one object of 64 bytes, and its release */
} toft_region_loops;

#define TOFT_HOT_OBJECTS 1000
#define TOFT_REQUEST_OBJECTS 100

/* The one symbol of a peer's module, which has all loops. */
#define TOFT_PEER_SYMBOL "toft_peer"
typedef const toft_region_loops *toft_peer_fn(void);

#endif
