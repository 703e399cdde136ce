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
#include "chunk/recycle.h"
#include "os/tracking.h"

/* The alignment of a chunk, and so of its start. */
#define TOFT_CHUNK_ALIGNMENT ((size_t)16)

typedef struct toft_chunk {
    _Alignas(TOFT_CHUNK_ALIGNMENT) struct toft_chunk *prev; /* older */
    struct toft_chunk *next;                                /* newer, or kept for reuse */
    char *end;                                              /* a multiple of 8 */
    size_t bytes;                                           /* the size of the whole block */
    size_t earlier_bytes; /* for its owner: what is used in the chunks before this one */
    bool borrowed;        /* it is a buffer of the user's, and is never given back */
    bool early;           /* counted by toft_chunk_count_early */
} toft_chunk;

/* No chunk ends so near to the top of the address space that the sum of an address in it and a size
   up to this could wrap. Only on 32-bit machines could one come near to the top. */
#define TOFT_CHUNK_HEADROOM ((uintptr_t)1 << 18)

static inline char *toft_chunk_start(toft_chunk *chunk) { return (char *)(chunk + 1); }

/* The first touch of one byte spends a whole huge page. For a large arena that is a small part of
   its memory; of smaller arenas, only TOFT_EARLY_HUGE_MAX chunks in the process at a time may have
   huge pages. toft_chunk_count_early counts one more, where one more may; for each that was
   counted, toft_chunk_uncount_early must be called when the chunk is full or is given back. Any
   thread, at any time. */
#define TOFT_EARLY_HUGE_MAX 4
bool toft_chunk_count_early(void);
void toft_chunk_uncount_early(void);

/* The parts of the functions below that are seldom needed. */
void *toft_chunk_allocate_slow(const toft_upstream *upstream, size_t bytes);
void toft_chunk_free_slow(const toft_upstream *upstream, void *memory, size_t bytes);
void toft_chunk_track_slow(toft_chunk *chunk);
void toft_chunk_forget_slow(toft_chunk *chunk);

/* Where objects in a block of bytes bytes at memory must end. */
static inline char *toft_chunk_end(const void *memory, size_t bytes) {
    uintptr_t end = (uintptr_t)memory + bytes;
    if (TOFT_UNLIKELY(end > UINTPTR_MAX - TOFT_CHUNK_HEADROOM))
        end = UINTPTR_MAX - TOFT_CHUNK_HEADROOM;
    return (char *)(end & ~(uintptr_t)7);
}

/* Whose a chunk's memory is: ours, to be given back, or a buffer of the user's. */
typedef enum toft_chunk_owner { toft_chunk_own, toft_chunk_borrowed } toft_chunk_owner;

/* Makes a chunk of bytes bytes at memory, which is aligned to TOFT_CHUNK_ALIGNMENT. While a tool
   tracks memory, the last of them are no object's. */
static inline toft_chunk *toft_chunk_at(void *memory, size_t bytes, toft_chunk_owner owner) {
    toft_chunk *chunk = memory;
    chunk->prev = NULL;
    chunk->next = NULL;
    chunk->end = toft_chunk_end(memory, bytes);
    chunk->bytes = bytes;
    chunk->earlier_bytes = 0;
    chunk->borrowed = owner == toft_chunk_borrowed;
    chunk->early = false;
    if (toft_tracking()) toft_chunk_track_slow(chunk);
    return chunk;
}

/* Creates a chunk of bytes bytes in all, header included, or returns NULL. Where upstream is NULL,
   it comes from the system, and its first huge_bytes lie in huge pages. */
static inline toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes,
                                            size_t huge_bytes) {
    void *memory = TOFT_LIKELY(upstream == NULL) ? toft_recycle_take(bytes, huge_bytes)
                                                 : toft_chunk_allocate_slow(upstream, bytes);
    return memory == NULL ? NULL : toft_chunk_at(memory, bytes, toft_chunk_own);
}

/* The chunk is full, or goes: it no longer counts as one of the few that have huge pages early. */
static inline void toft_chunk_end_early(toft_chunk *chunk) {
    if (TOFT_UNLIKELY(chunk->early)) toft_chunk_uncount_early();
    chunk->early = false;
}

/* Gives a chunk back to where it came from. Nothing is done with the memory of a borrowed one. */
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
