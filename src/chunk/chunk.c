/* SPDX-License-Identifier: MIT */
#include "chunk/chunk.h"

#include "base/bits.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "chunk/recycle.h"

static toft_chunk *chunk_at(char *memory, size_t bytes, bool borrowed) {
    uintptr_t end = (uintptr_t)memory + bytes;
    if (end > UINTPTR_MAX - TOFT_CHUNK_HEADROOM) end = UINTPTR_MAX - TOFT_CHUNK_HEADROOM;
    toft_chunk *chunk = (toft_chunk *)(void *)memory;
    *chunk = (toft_chunk){
        .end = (char *)(end & ~(uintptr_t)7),
        .bytes = bytes,
        .borrowed = borrowed,
    };
    /* A borrowed buffer is its owner's until it is used, and again after the release. */
    if (toft_tracking() && !borrowed) {
        toft_track_chunk(memory, bytes);
        toft_track_free(toft_chunk_start(chunk), bytes - sizeof *chunk);
    }
    return chunk;
}

toft_chunk *toft_chunk_create(const toft_upstream *upstream, size_t bytes) {
    char *memory;
    if (upstream == NULL) {
        memory = toft_recycle_take(bytes);
    } else {
        memory = upstream->allocate(upstream->context, bytes, TOFT_CHUNK_ALIGNMENT);
        if ((uintptr_t)memory % TOFT_CHUNK_ALIGNMENT != 0)
            toft_misuse(memory, "the upstream's allocate returned memory not aligned as asked");
    }
    return memory == NULL ? NULL : chunk_at(memory, bytes, false);
}

toft_chunk *toft_chunk_borrow(void *buffer, size_t bytes, size_t least_bytes) {
    if (buffer == NULL) return NULL;
    size_t skipped = toft_align_up((uintptr_t)buffer, TOFT_CHUNK_ALIGNMENT) - (uintptr_t)buffer;
    if (bytes < skipped + sizeof(toft_chunk) + least_bytes) return NULL;
    return chunk_at((char *)buffer + skipped, bytes - skipped, true);
}

void toft_chunk_destroy(const toft_upstream *upstream, toft_chunk *chunk) {
    size_t bytes = chunk->bytes;
    bool borrowed = chunk->borrowed;
    if (toft_tracking()) {
        if (!borrowed) toft_forget_chunk(chunk, bytes);
        toft_track_allocated(chunk, bytes);
    }
    if (borrowed) return;
    if (upstream == NULL)
        toft_recycle_give(chunk, bytes);
    else if (upstream->free != NULL)
        upstream->free(upstream->context, chunk, bytes, TOFT_CHUNK_ALIGNMENT);
}
