/* SPDX-License-Identifier: MIT */
/* A chunk: a block of a strategy's memory, from its upstream, the system or a buffer handed in.
 *
 *     +------------+--------------------------------+
 *     | toft_chunk | start ...                      | end
 *     +------------+--------------------------------+
 *     |<------------------ bytes ------------------>|
 */
#ifndef TOFT_CHUNK_CHUNK_H
#define TOFT_CHUNK_CHUNK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <toft/upstream.h>

#include "base/bits.h"
#include "base/tracking.h"
#include "chunk/recycle.h"

/* Of a chunk, and so of its start. */
#define TOFT_CHUNK_ALIGNMENT ((size_t)16)

typedef struct toft_chunk {
    _Alignas(TOFT_CHUNK_ALIGNMENT) struct toft_chunk *prev; /* older */
    struct toft_chunk *next;                                /* newer, or kept for reuse */
    char *end;                                              /* a multiple of 8 */
    size_t bytes;                                           /* of the whole block */
    size_t earlier_bytes; /* for its owner: used in the chunks before this one */
    bool borrowed;        /* a buffer handed in: never given back */
    bool early;           /* counted by toft_recycle_begin_early */
} toft_chunk;

/* No chunk ends so near to the top of the address space that the sum of an address in it and a size
   up to this could wrap. On 64-bit machines none comes near to that anyway. */
#define TOFT_CHUNK_HEADROOM ((uintptr_t)1 << 18)

static inline char *toft_chunk_start(toft_chunk *chunk) { return (char *)(chunk + 1); }

/* The parts of the functions below that are seldom needed. */
void *toft_chunk_allocate_slow(const toft_upstream *upstream, size_t bytes);
void toft_chunk_free_slow(const toft_upstream *upstream, void *memory, size_t bytes);
void toft_chunk_track_slow(toft_chunk *chunk);
void toft_chunk_forget_slow(toft_chunk *chunk);

/* Of the objects in bytes bytes at memory. */
static inline char *toft_chunk_end(const void *memory, size_t bytes) {
    uintptr_t end = (uintptr_t)memory + bytes;
    if (TOFT_UNLIKELY(end > UINTPTR_MAX - TOFT_CHUNK_HEADROOM))
        end = UINTPTR_MAX - TOFT_CHUNK_HEADROOM;
    return (char *)(end & ~(uintptr_t)7);
}

/* A chunk in bytes bytes at memory, aligned. */
static inline toft_chunk *toft_chunk_at(void *memory, size_t bytes, bool borrowed) {
    toft_chunk *chunk = memory;
    chunk->prev = NULL;
    chunk->next = NULL;
    chunk->end = toft_chunk_end(memory, bytes);
    chunk->bytes = bytes;
    chunk->earlier_bytes = 0;
    chunk->borrowed = borrowed;
    chunk->early = false;
    if (toft_tracking()) toft_chunk_track_slow(chunk);
    return chunk;
}

/* A chunk of bytes bytes in all, or NULL. From the system, where upstream is NULL: its first
   huge_bytes in huge pages. */
static inline toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes,
                                            size_t huge_bytes) {
    void *memory = TOFT_LIKELY(upstream == NULL) ? toft_recycle_take(bytes, huge_bytes)
                                                 : toft_chunk_allocate_slow(upstream, bytes);
    return memory == NULL ? NULL : toft_chunk_at(memory, bytes, false);
}

/* No longer one that may be left with most of a huge page unused. */
static inline void toft_chunk_end_early(toft_chunk *chunk) {
    if (TOFT_UNLIKELY(chunk->early)) toft_recycle_end_early();
    chunk->early = false;
}

/* Gives a chunk back to where it came from; a borrowed one is just no chunk any more. */
static inline void toft_chunk_destroy(const toft_upstream *upstream, toft_chunk *chunk) {
    size_t bytes = chunk->bytes;
    bool borrowed = chunk->borrowed;
    toft_chunk_end_early(chunk);
    if (toft_tracking()) toft_chunk_forget_slow(chunk);
    if (borrowed) return;
    if (TOFT_LIKELY(upstream == NULL))
        toft_recycle_give(chunk, bytes);
    else
        toft_chunk_free_slow(upstream, chunk, bytes);
}

#endif
