/* SPDX-License-Identifier: MIT */
/* What the parts of the arena's slow path share. */
#ifndef TOFT_ARENA_ARENA_H
#define TOFT_ARENA_ARENA_H

#include <string.h>

#include <toft/arena.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/misuse.h"
#include "chunk/chunk.h"
#include "chunk/runs.h"
#include "chunk/spare.h"
#include "os/tracking.h"

/* Larger sizes and alignments are refused, so that sums of a few smaller ones can't wrap. */
#define TOFT_ARENA_MAX (SIZE_MAX / 8)
static_assert(TOFT_CHUNK_HEADROOM >= 2 * TOFT_ARENA_INLINE_MAX, "inlined sums could wrap");

/* What an arena must know beside its cur and end. The ledger lies at the start of the first chunk,
   before that chunk's first object. */
typedef struct toft_ledger {
    _Alignas(TOFT_CHUNK_ALIGNMENT) toft_arena *owner;
    toft_chunk *current;     /* cur points into it; the chunks behind it are kept for reuse */
    size_t reserved_bytes;   /* the sum of all chunks */
    size_t high_water_bytes; /* the most that used_bytes was when cur last left a chunk */
    size_t upstream_allocations;
    size_t upstream_frees;
    size_t chunks;     /* in the list, which statistics needn't walk */
    toft_spare *spare; /* what the upstream doesn't take back */
} toft_ledger;
static_assert(sizeof(toft_chunk) + sizeof(toft_ledger) <= TOFT_FIRST_BUFFER_OVERHEAD_BYTES,
              "the public header promises this");

/* The arena must have a chunk, and toft_arena_enter must have been called. */
static inline toft_ledger *toft_arena_ledger(const toft_arena *arena) {
    return (toft_ledger *)(void *)toft_chunk_start(arena->first);
}

/* Whether memory goes back to where it came from. Otherwise the arena keeps it as spare memory. */
static inline bool toft_arena_gives_back(const toft_arena *arena) {
    return arena->upstream == NULL || arena->upstream->free != NULL;
}

/* The chunk that cur points into; NULL where the arena has no chunk. */
static inline toft_chunk *toft_arena_current(const toft_arena *arena) {
    return arena->first == NULL ? NULL : toft_arena_ledger(arena)->current;
}

/* Where the objects of one of the arena's chunks begin. */
static inline char *toft_arena_start(const toft_arena *arena, toft_chunk *chunk) {
    return toft_chunk_start(chunk) + (chunk == arena->first ? sizeof(toft_ledger) : 0);
}

/* What is allocated now. The arena must have a chunk. */
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

/* Allocation continues at cur, in chunk. What the ledger must know of the chunk before has been
   noted already. */
static inline void toft_arena_continue_at(toft_arena *arena, toft_chunk *chunk, char *cur) {
    toft_arena_ledger(arena)->current = chunk;
    arena->cur = cur;
    arena->high = cur;
    arena->end = toft_tracking() ? NULL : chunk->end;
}

/* Makes chunk the first and the current one, with a new ledger. */
static inline void toft_arena_begin_ledger_in(toft_arena *arena, toft_chunk *chunk) {
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
    ledger->chunks = 1;
    ledger->spare = NULL;
}

/* Adds a chunk that has room for needed_bytes: behind the current one, or as the first, with a
   ledger. NULL where the limit or the upstream has no memory. */
toft_chunk *toft_arena_add_chunk(toft_arena *arena, size_t needed_bytes);

/* Gives the arena a first chunk, and so a ledger, if it has none. False when out of memory. */
bool toft_arena_has_ledger(toft_arena *arena);

/* Takes a chunk, not the first, out of the arena's list and gives it back. */
void toft_arena_drop_chunk(toft_arena *arena, toft_chunk *chunk);

/* A chunk that counts towards the arena's limit, but that the arena doesn't allocate from: the reap
   puts one large object in it. NULL when there is none. It must be given back before the arena is
   released. */
toft_chunk *toft_arena_take_block(toft_arena *arena, size_t least_bytes);
void toft_arena_give_block(toft_arena *arena, toft_chunk *block);

/* Runs what was deferred, the newest first, until the one given is the newest left. */
void toft_arena_run_deferred(toft_arena *arena, const toft_deferred *until);

/* --- a first chunk without header and ledger --- */

/* What the first chunk begins with: its header and the ledger. */
#define TOFT_ARENA_LEDGER_BYTES (sizeof(toft_chunk) + sizeof(toft_ledger))

/* The size of a first chunk that isn't borrowed. */
#define TOFT_ARENA_FIRST_BYTES ((size_t)64 << 10)

/* Allocation begins at memory, which is aligned and large enough for the ledger. */
static inline void toft_arena_begin(toft_arena *arena, void *memory, char *end,
                                    toft_chunk_owner owner) {
    *(toft_arena **)memory = arena;
    arena->cur = (char *)memory + TOFT_ARENA_LEDGER_BYTES;
    arena->end = end;
    arena->high = arena->cur;
    arena->first = memory;
    arena->ledger_unwritten = true;
    arena->borrowed = owner == toft_chunk_borrowed;
}

/* Writes the header of the first chunk, and the ledger. */
void toft_arena_open_slow(toft_arena *arena);

/* --- what begins most slow paths --- */

static inline toft_arena **toft_arena_owner(const toft_arena *arena) {
    return arena->ledger_unwritten ? (toft_arena **)(void *)arena->first
                                   : &toft_arena_ledger(arena)->owner;
}

/* The arena that has it as its first chunk. */
static inline toft_arena *toft_arena_of_first(toft_chunk *first) {
    toft_arena *unless_written; /* a header begins with NULL */
    memcpy(&unless_written, first, sizeof unless_written);
    if (unless_written != NULL) return unless_written;
    return ((const toft_ledger *)(void *)toft_chunk_start(first))->owner;
}

/* What is true of every arena between two calls. */
static inline bool toft_arena_is_sound(const toft_arena *arena) {
    if (arena->first == NULL) return arena->cur == NULL && !arena->ledger_unwritten;
    if (arena->ledger_unwritten)
        return arena->cur >= (char *)arena->first + TOFT_ARENA_LEDGER_BYTES &&
               arena->cur <= arena->end;
    const toft_ledger *ledger = toft_arena_ledger(arena);
    toft_chunk *current = ledger->current;
    bool linked = (current->prev == NULL) == (current == arena->first) &&
                  (current->prev == NULL || current->prev->next == current) &&
                  (current->next == NULL || current->next->prev == current);
    bool within = arena->cur >= toft_arena_start(arena, current) && arena->cur <= current->end &&
                  toft_arena_high(arena) <= current->end;
    bool limited = arena->limit_bytes == 0 || ledger->reserved_bytes <= arena->limit_bytes;
    return linked && within && limited && (uintptr_t)arena->cur % TOFT_ARENA_GRANULE == 0 &&
           (arena->end == NULL || arena->end <= current->end) &&
           ledger->reserved_bytes >= current->bytes &&
           (ledger->chunks == 1) == (arena->first->next == NULL) &&
           ledger->upstream_allocations >= ledger->upstream_frees;
}

/* Finds arenas that were copied by assignment: both copies would free the same chunks. */
static inline void toft_arena_check(const toft_arena *arena) {
    if (arena->first != NULL && TOFT_UNLIKELY(*toft_arena_owner(arena) != arena))
        toft_misuse(arena, "this arena was copied by assignment; use toft_arena_move");
}

/* To be called first by every function that needs more of an arena than cur and end. */
static inline void toft_arena_enter(toft_arena *arena) {
    toft_arena_check(arena);
    TOFT_ASSERT(toft_arena_is_sound(arena));
    if (arena->ledger_unwritten) toft_arena_open_slow(arena);
}

#endif
