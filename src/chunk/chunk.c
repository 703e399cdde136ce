/* SPDX-License-Identifier: MIT */
#include "chunk/chunk.h"

#include "base/bits.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "chunk/recycle.h"

static toft_chunk *chunk_at(char *memory, size_t bytes, bool borrowed) {
    toft_chunk *chunk = (toft_chunk *)(void *)memory;
    chunk->prev = NULL;
    chunk->next = NULL;
    uintptr_t end = (uintptr_t)memory + bytes;
    if (end > TOFT_CHUNK_END_MAX) end = TOFT_CHUNK_END_MAX;
    chunk->end = (char *)(end & ~(uintptr_t)(TOFT_ARENA_GRANULE - 1));
    chunk->bytes = bytes;
    chunk->owner = NULL;
    chunk->borrowed = borrowed;
    if (toft_tracking()) {
        toft_track_chunk(memory, bytes);
        toft_track_free(toft_chunk_start(chunk), bytes - TOFT_CHUNK_HEADER_BYTES);
    }
    return chunk;
}

toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes) {
    char *memory;
    if (upstream->allocate == NULL) {
        memory = toft_recycle_take(bytes);
    } else {
        memory = upstream->allocate(upstream->context, bytes, TOFT_CHUNK_ALIGNMENT);
        if ((uintptr_t)memory % TOFT_CHUNK_ALIGNMENT != 0)
            toft_misuse(memory,
                        "the upstream's allocate returned memory that isn't aligned as asked");
    }
    return memory == NULL ? NULL : chunk_at(memory, bytes, false);
}

toft_chunk *toft_chunk_borrow(void *buffer, size_t bytes) {
    size_t skipped = toft_align_up((uintptr_t)buffer, TOFT_CHUNK_ALIGNMENT) - (uintptr_t)buffer;
    if (buffer == NULL || bytes < skipped + TOFT_CHUNK_HEADER_BYTES + 8) return NULL;
    return chunk_at((char *)buffer + skipped, bytes - skipped, true);
}

void toft_chunk_destroy(const toft_upstream *upstream, toft_chunk *chunk) {
    size_t bytes = chunk->bytes;
    if (toft_tracking()) {
        toft_forget_chunk(chunk, bytes);
        toft_track_allocated(chunk, bytes);
    }
    if (chunk->borrowed) return;
    if (upstream->allocate == NULL)
        toft_recycle_give(chunk, bytes);
    else if (upstream->free != NULL)
        upstream->free(upstream->context, chunk, bytes, TOFT_CHUNK_ALIGNMENT);
}
