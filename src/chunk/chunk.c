/* SPDX-License-Identifier: MIT */
#include "chunk/chunk.h"

#include "base/misuse.h"

void *toft_chunk_allocate_slow(const toft_upstream *upstream, size_t bytes) {
    void *memory = upstream->allocate(upstream->context, bytes, TOFT_CHUNK_ALIGNMENT);
    if ((uintptr_t)memory % TOFT_CHUNK_ALIGNMENT != 0)
        toft_misuse(memory, "the upstream's allocate returned memory not aligned as asked");
    return memory;
}

void toft_chunk_free_slow(const toft_upstream *upstream, void *memory, size_t bytes) {
    if (upstream->free == NULL) return;
    upstream->free(upstream->context, memory, bytes, TOFT_CHUNK_ALIGNMENT);
}

/* Nothing is poisoned in a borrowed buffer yet: it is its owner's until it is used, and again after
   the release. What lies behind another chunk may be anybody's: its last bytes stay poisoned. */
void toft_chunk_track_slow(toft_chunk *chunk) {
    if (chunk->borrowed) return;
    chunk->end -= TOFT_REDZONE_BYTES;
    toft_store_track(chunk, chunk->bytes);
    toft_track_free(toft_chunk_start(chunk), chunk->bytes - sizeof *chunk);
}

void toft_chunk_forget_slow(toft_chunk *chunk) {
    if (!chunk->borrowed) toft_store_forget(chunk, chunk->bytes);
    toft_track_allocated(toft_chunk_start(chunk), chunk->bytes - sizeof *chunk);
}

/* Relaxed: it counts, and guards nothing. */
static int early_chunks;

bool toft_chunk_count_early(void) {
    if (__atomic_fetch_add(&early_chunks, 1, __ATOMIC_RELAXED) < TOFT_EARLY_HUGE_MAX) return true;
    toft_chunk_uncount_early();
    return false;
}

void toft_chunk_uncount_early(void) { __atomic_fetch_sub(&early_chunks, 1, __ATOMIC_RELAXED); }
