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

/* Of a chunk, and so of its start. */
#define TOFT_CHUNK_ALIGNMENT ((size_t)16)

typedef struct toft_chunk {
    struct toft_chunk *prev; /* older */
    struct toft_chunk *next; /* newer, or kept for reuse */
    char *end;               /* a multiple of 8 */
    size_t bytes;            /* of the whole block */
    size_t earlier_bytes;    /* for its owner: used in the chunks before this one */
    bool borrowed;           /* a buffer handed in: never given back */
} toft_chunk;
static_assert(sizeof(toft_chunk) % TOFT_CHUNK_ALIGNMENT == 0, "the start would be misaligned");

/* No chunk ends so near to the top of the address space that the sum of an address in it and a size
   up to this could wrap. On 64-bit machines none comes near to that anyway. */
#define TOFT_CHUNK_HEADROOM ((uintptr_t)1 << 18)

static inline char *toft_chunk_start(toft_chunk *chunk) { return (char *)(chunk + 1); }

/* A chunk of bytes bytes in all, or NULL. From the system, where upstream is NULL. */
toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes);

/* A chunk in a buffer of the caller's, or NULL where least_bytes don't fit behind its header. */
toft_chunk *toft_chunk_borrow(void *buffer, size_t bytes, size_t least_bytes);

/* Gives a chunk back to where it came from; a borrowed one is just no chunk any more. */
void toft_chunk_destroy(const toft_upstream *upstream, toft_chunk *chunk);

#endif
