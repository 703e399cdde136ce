/* SPDX-License-Identifier: MIT */
/* What the parts of the arena's slow path share. */
#ifndef TOFT_ARENA_ARENA_H
#define TOFT_ARENA_ARENA_H

#include <toft/arena.h>

#include "base/bits.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "chunk/chunk.h"

/* Larger sizes and alignments can't be had; sums of a few smaller ones can't wrap. */
#define TOFT_ARENA_MAX (SIZE_MAX / 8)

static inline size_t toft_arena_used_bytes(const toft_arena *arena, const char *cur) {
    if (arena->chunk == NULL) return 0;
    return arena->earlier_bytes + (size_t)(cur - toft_chunk_start(arena->chunk));
}

/* To be called before cur moves down or to another chunk. */
static inline void toft_arena_note_high_water(toft_arena *arena) {
    const char *highest = arena->peak > arena->cur ? arena->peak : arena->cur;
    arena->high_water_bytes =
        toft_max(arena->high_water_bytes, toft_arena_used_bytes(arena, highest));
    arena->peak = NULL;
}

/* Allocation goes on at cur, in chunk; or nowhere, for NULL. */
static inline void toft_arena_continue_at(toft_arena *arena, toft_chunk *chunk, char *cur) {
    arena->chunk = chunk;
    arena->cur = cur;
    arena->end = chunk == NULL || toft_tracking() ? NULL : chunk->end;
}

static inline void toft_arena_continue_in(toft_arena *arena, toft_chunk *chunk) {
    toft_arena_continue_at(arena, chunk, chunk == NULL ? NULL : toft_chunk_start(chunk));
}

/* Takes a chunk out of the arena's list and gives it back. */
void toft_arena_drop_chunk(toft_arena *arena, toft_chunk *chunk);

/* A struct copied by assignment would free its chunks twice. */
static inline void toft_arena_check(const toft_arena *arena) {
    if (arena->first != NULL && TOFT_UNLIKELY(arena->first->owner != arena))
        toft_misuse(arena, "this arena was copied by assignment; use toft_arena_move");
}

static inline bool toft_arena_is_last(const toft_arena *arena, const void *object, size_t size) {
    return (uintptr_t)object + toft_arena_rounded(size + (size == 0)) == (uintptr_t)arena->cur;
}

#endif
