/* SPDX-License-Identifier: MIT */
/* The process's store of released memory: what threads' shelves (recycle.h) have no room for.
 *
 * Threads: any may call, of any memory; one lock, which is free when a function is called. */
#ifndef TOFT_CHUNK_STORE_H
#define TOFT_CHUNK_STORE_H

#include <stddef.h>
#include <stdint.h>

#define TOFT_RECYCLED_MAX_BYTES ((size_t)16 << 20)
#define TOFT_STORE_BYTES ((size_t)64 << 20)
#define TOFT_STORE_RUN_BYTES ((size_t)16 << 20)

/* A block that waits in a list, on a shelf or in the store. */
typedef struct toft_recycled {
    struct toft_recycled *next;
} toft_recycled;

static inline void toft_recycled_push(toft_recycled **blocks, toft_recycled *pushed) {
    pushed->next = *blocks;
    *blocks = pushed;
}

static inline toft_recycled *toft_recycled_pop(toft_recycled **blocks) {
    toft_recycled *popped = *blocks;
    if (popped != NULL) *blocks = popped->next;
    return popped;
}

/* See toft_recycle_take and toft_recycle_give; the first is NULL where the system has no memory. */
void *toft_store_take(size_t bytes, size_t huge_bytes);
void toft_store_give(void *memory, size_t bytes);

/* Gives memory back until at most keep_bytes are idle; the largest blocks first. */
void toft_store_trim(size_t keep_bytes);

/* Gives back half of what was idle all the time since the last step, if it is time for a step. What
   shelves keep is little: it stays until the thread ends or toft_trim is called. */
void toft_store_decay(uint64_t now_ms);

/* toft_track_chunk and toft_forget_chunk, for memory of any origin, called under the store's lock.
   A fork holds the store's lock, but not the leak checker's own. So no thread holds the leak
   checker's lock at a fork, and it is free in the child. */
void toft_store_track(const void *memory, size_t bytes);
void toft_store_forget(const void *memory, size_t bytes);

/* For a fork. */
void toft_store_lock(void);
void toft_store_unlock(void);

#endif
