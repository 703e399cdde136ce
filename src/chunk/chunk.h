/* SPDX-License-Identifier: MIT */
/* A chunk: a block of an arena's memory, from its upstream, the system or a buffer handed in first.
 *
 *     +-----------------+--------------------------------+
 *     | toft_chunk      | start ...                      | end
 *     +-----------------+--------------------------------+
 *     |<-------------------- bytes --------------------->|
 */
#ifndef TOFT_CHUNK_CHUNK_H
#define TOFT_CHUNK_CHUNK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <toft/arena.h>

typedef struct toft_chunk {
    struct toft_chunk *prev; /* older */
    struct toft_chunk *next; /* newer, or kept for reuse */
    char *end;
    size_t bytes;             /* of the whole block */
    struct toft_arena *owner; /* kept right in an arena's first chunk only */
    bool borrowed;            /* a first buffer: never given back */
} toft_chunk;
static_assert(sizeof(toft_chunk) <= TOFT_CHUNK_HEADER_BYTES, "objects would overlap the header");

/* Of a chunk, and so at least of its start. */
#define TOFT_CHUNK_ALIGNMENT ((size_t)16)

/* The sum of an address in a chunk and the largest inlined request must not wrap; on 64-bit
   machines no block comes near to that. */
#define TOFT_CHUNK_END_MAX (UINTPTR_MAX - ((uintptr_t)1 << 18))

static inline char *toft_chunk_start(toft_chunk *chunk) {
    return (char *)chunk + TOFT_CHUNK_HEADER_BYTES;
}

/* A chunk of bytes bytes, or NULL. From the system, where upstream->allocate is NULL. */
toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes);

/* A chunk in the caller's buffer, or NULL where that is too small to hold anything. */
toft_chunk *toft_chunk_borrow(void *buffer, size_t bytes);

/* Gives a chunk back to where it came from. */
void toft_chunk_destroy(const toft_upstream *upstream, toft_chunk *chunk);

#endif
