/* SPDX-License-Identifier: MIT */
/* What the parts of the arena's slow path share. */
#ifndef TOFT_ARENA_ARENA_H
#define TOFT_ARENA_ARENA_H

#include <toft/arena.h>

#include "base/bits.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "chunk/chunk.h"
#include "chunk/runs.h"
#include "chunk/spare.h"

/* Larger sizes and alignments can't be had; sums of a few smaller ones can't wrap. */
#define TOFT_ARENA_MAX (SIZE_MAX / 8)
static_assert(TOFT_CHUNK_HEADROOM >= 2 * TOFT_ARENA_INLINE_MAX, "inlined sums could wrap");

/* The arena's books: at the start of its first chunk, before that chunk's first object. */
typedef struct toft_ledger {
    _Alignas(TOFT_CHUNK_ALIGNMENT) toft_arena *owner;
    toft_chunk *current;     /* the one that cur points into; behind it follow those kept */
    size_t reserved_bytes;   /* of all chunks */
    size_t high_water_bytes; /* of used_bytes, as cur's last chunk was left */
    size_t upstream_allocations;
    size_t upstream_frees;
    toft_spare *spare; /* what was given back, and the upstream doesn't take */
} toft_ledger;
static_assert(sizeof(toft_chunk) + sizeof(toft_ledger) <= TOFT_FIRST_BUFFER_OVERHEAD_BYTES,
              "the public header promises this");

/* Of an arena that has a chunk, and was entered, as below. */
static inline toft_ledger *toft_arena_ledger(const toft_arena *arena) {
    return (toft_ledger *)(void *)toft_chunk_start(arena->first);
}

/* Whether memory goes back to where it came from. Else the arena keeps it in its books. */
static inline bool toft_arena_gives_back(const toft_arena *arena) {
    return arena->upstream == NULL || arena->upstream->free != NULL;
}

/* NULL where there is none. */
static inline toft_chunk *toft_arena_current(const toft_arena *arena) {
    return arena->first == NULL ? NULL : toft_arena_ledger(arena)->current;
}

/* Where the objects of one of the arena's chunks begin. */
static inline char *toft_arena_start(const toft_arena *arena, toft_chunk *chunk) {
    return toft_chunk_start(chunk) + (chunk == arena->first ? sizeof(toft_ledger) : 0);
}

/* Of an arena that has a chunk. */
static inline size_t toft_arena_used_bytes(const toft_arena *arena) {
    toft_chunk *chunk = toft_arena_current(arena);
    return chunk->earlier_bytes + (size_t)(arena->cur - toft_arena_start(arena, chunk));
}

/* The highest that cur has been in its chunk. */
static inline char *toft_arena_high(const toft_arena *arena) {
    return arena->high < arena->cur ? arena->cur : arena->high;
}

/* The most that used_bytes has been. */
static inline size_t toft_arena_high_water_bytes(const toft_arena *arena) {
    size_t since_bytes = (size_t)(toft_arena_high(arena) - arena->cur);
    return toft_max(toft_arena_ledger(arena)->high_water_bytes,
                    toft_arena_used_bytes(arena) + since_bytes);
}

/* Allocation goes on at cur, in chunk; its chunk until then has been noted in the books. */
static inline void toft_arena_continue_at(toft_arena *arena, toft_chunk *chunk, char *cur) {
    toft_arena_ledger(arena)->current = chunk;
    arena->cur = cur;
    arena->high = cur;
    arena->end = toft_tracking() ? NULL : chunk->end;
}

/* Makes chunk the first one, and the current one, with fresh books. */
static inline void toft_arena_keep_books_in(toft_arena *arena, toft_chunk *chunk) {
    toft_ledger *ledger = (toft_ledger *)(void *)toft_chunk_start(chunk);
    if (toft_tracking()) toft_track_allocated(ledger, sizeof *ledger);
    arena->first = chunk;
    arena->ledger_unwritten = false;
    ledger->owner = arena;
    ledger->current = chunk;
    ledger->reserved_bytes = chunk->bytes;
    ledger->high_water_bytes = 0;
    ledger->upstream_allocations = chunk->borrowed ? 0 : 1;
    ledger->upstream_frees = 0;
    ledger->spare = NULL;
}

/* Adds a chunk with room for so many bytes behind the current one, or the first, with books. NULL
   where the limit or the upstream has none. */
toft_chunk *toft_arena_add_chunk(toft_arena *arena, size_t needed_bytes);

/* Has books, or begins them in a first chunk. False when out of memory. */
bool toft_arena_has_books(toft_arena *arena);

/* Takes a chunk, not the first, out of the arena's list and gives it back. */
void toft_arena_drop_chunk(toft_arena *arena, toft_chunk *chunk);

/* A chunk that the arena pays for, within its limit, and doesn't allocate from: for one object, of
   another strategy. NULL when there is none. It must be given back before the arena is released. */
toft_chunk *toft_arena_take_block(toft_arena *arena, size_t least_bytes);
void toft_arena_give_block(toft_arena *arena, toft_chunk *block);

/* Runs what was deferred, the newest first, until the one given is the newest left. */
void toft_arena_run_deferred(toft_arena *arena, const toft_deferred *until);

/* --- a first chunk without header and ledger --- */

#define TOFT_ARENA_BOOKS_BYTES (sizeof(toft_chunk) + sizeof(toft_ledger))
#define TOFT_ARENA_FIRST_BYTES ((size_t)64 << 10) /* of one that isn't borrowed */

/* Allocation begins at memory, aligned and large enough for the books. */
static inline void toft_arena_begin(toft_arena *arena, void *memory, char *end, bool borrowed) {
    *(toft_arena **)memory = arena;
    arena->cur = (char *)memory + TOFT_ARENA_BOOKS_BYTES;
    arena->end = end;
    arena->high = arena->cur;
    arena->first = memory;
    arena->ledger_unwritten = true;
    arena->borrowed = borrowed;
}

/* Lays out its header and the books. */
void toft_arena_open_slow(toft_arena *arena);

/* --- what begins most slow paths --- */

static inline toft_arena **toft_arena_owner(const toft_arena *arena) {
    return arena->ledger_unwritten ? (toft_arena **)(void *)arena->first
                                   : &toft_arena_ledger(arena)->owner;
}

/* A struct copied by assignment would free its chunks twice. */
static inline void toft_arena_check(const toft_arena *arena) {
    if (arena->first != NULL && TOFT_UNLIKELY(*toft_arena_owner(arena) != arena))
        toft_misuse(arena, "this arena was copied by assignment; use toft_arena_move");
}

/* To be called first by what needs more of an arena than cur and end. */
static inline void toft_arena_enter(toft_arena *arena) {
    toft_arena_check(arena);
    if (arena->ledger_unwritten) toft_arena_open_slow(arena);
}

#endif
