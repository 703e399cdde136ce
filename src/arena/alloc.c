/* SPDX-License-Identifier: MIT */
/* Allocation beyond the inlined path: large or tracked objects, and the way to the next chunk. */
#include "arena/arena.h"
#include "chunk/recycle.h"

#define FIRST_CHUNK_BYTES ((size_t)64 << 10)
#define GROWTH_FACTOR ((size_t)8)
#define GROWTH_MAX_BYTES ((size_t)4 << 20)

typedef struct request {
    size_t size; /* rounded, not 0 */
    size_t alignment;
    size_t front_bytes; /* poisoned bytes before the object */
} request;

/* Where in memory from cur on the object would lie. */
static uintptr_t placed_at(uintptr_t cur, request wanted) {
    return toft_align_up(cur + wanted.front_bytes, wanted.alignment);
}

static bool fits(const char *cur, const char *end, request wanted) {
    return placed_at((uintptr_t)cur, wanted) - (uintptr_t)cur + wanted.size <= (size_t)(end - cur);
}

/* A kept chunk with room, moved next to the current one, so that the ones skipped stay of use. */
static toft_chunk *find_kept(toft_arena *arena, request wanted) {
    toft_chunk *current = arena->chunk;
    for (toft_chunk *kept = current->next; kept != NULL; kept = kept->next) {
        if (!fits(toft_chunk_start(kept), kept->end, wanted)) continue;
        if (kept != current->next) {
            kept->prev->next = kept->next;
            if (kept->next != NULL) kept->next->prev = kept->prev;
            kept->prev = current;
            kept->next = current->next;
            current->next->prev = kept;
            current->next = kept;
        }
        return kept;
    }
    return NULL;
}

/* Chunks grow fast to the size where huge pages pay, then stay; a request larger than that gets a
   block of its own, whose remainder serves what follows. */
static size_t chunk_bytes_for(const toft_arena *arena, size_t least_bytes) {
    size_t bytes = arena->chunk_bytes != 0 ? arena->chunk_bytes : FIRST_CHUNK_BYTES;
    if (arena->chunk != NULL) {
        size_t grown_bytes = toft_min(arena->chunk->bytes, GROWTH_MAX_BYTES) * GROWTH_FACTOR;
        bytes = toft_max(bytes, toft_min(grown_bytes, GROWTH_MAX_BYTES));
    }
    bytes = toft_max(bytes, least_bytes);
    return arena->upstream.allocate == NULL ? toft_recycle_bytes(bytes) : bytes;
}

/* A new chunk, behind the current one. What was kept is too small for this request: it goes back,
   and the new chunk serves in its stead, so that a loop of growing requests holds no more than it
   uses. */
static toft_chunk *add_chunk(toft_arena *arena, request wanted) {
    toft_chunk *current = arena->chunk;
    while (current != NULL && current->next != NULL) toft_arena_drop_chunk(arena, current->next);

    size_t padding = wanted.alignment > TOFT_CHUNK_ALIGNMENT ? wanted.alignment : 0;
    size_t least_bytes = TOFT_CHUNK_HEADER_BYTES + wanted.front_bytes + padding + wanted.size;
    size_t bytes = chunk_bytes_for(arena, least_bytes);
    if (arena->limit_bytes != 0) {
        size_t left_bytes = arena->limit_bytes - arena->reserved_bytes;
        if (least_bytes > left_bytes) return NULL;
        bytes = toft_min(bytes, left_bytes);
    }
    toft_chunk *chunk = toft_chunk_create(&arena->upstream, bytes);
    if (chunk == NULL && bytes > least_bytes)
        chunk = toft_chunk_create(&arena->upstream, least_bytes);
    if (chunk == NULL) return NULL;

    arena->upstream_allocations++;
    arena->reserved_bytes += chunk->bytes;
    chunk->prev = current;
    if (current != NULL) {
        current->next = chunk;
    } else {
        chunk->owner = arena;
        arena->first = chunk;
    }
    return chunk;
}

void toft_arena_drop_chunk(toft_arena *arena, toft_chunk *chunk) {
    toft_chunk *prev = chunk->prev;
    toft_chunk *next = chunk->next;
    if (prev != NULL)
        prev->next = next;
    else
        arena->first = next;
    if (next != NULL) {
        next->prev = prev;
        next->owner = arena;
    }
    arena->reserved_bytes -= chunk->bytes;
    arena->upstream_frees++;
    toft_chunk_destroy(&arena->upstream, chunk);
}

/* Makes a chunk with room for the request the current one. */
static bool advance(toft_arena *arena, request wanted) {
    toft_chunk *chunk = arena->chunk == NULL ? NULL : find_kept(arena, wanted);
    if (chunk == NULL) chunk = add_chunk(arena, wanted);
    if (chunk == NULL) return false;
    toft_arena_note_high_water(arena);
    arena->earlier_bytes = toft_arena_used_bytes(arena, arena->cur);
    toft_arena_continue_in(arena, chunk);
    return true;
}

void *toft_arena_alloc_slow(toft_arena *arena, size_t size, size_t alignment) {
    toft_arena_check(arena);
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (size > TOFT_ARENA_MAX || alignment > TOFT_ARENA_MAX) return NULL;

    bool tracking = toft_tracking();
    request wanted = {
        .size = toft_arena_rounded(toft_max(size, 1)),
        .alignment = toft_max(alignment, TOFT_ARENA_GRANULE),
        .front_bytes = tracking ? TOFT_REDZONE_BYTES : 0,
    };
    bool room = arena->chunk != NULL && fits(arena->cur, arena->chunk->end, wanted);
    if (!room && !advance(arena, wanted)) return NULL;

    void *object = (void *)placed_at((uintptr_t)arena->cur, wanted);
    arena->cur = (char *)object + wanted.size;
    if (tracking) toft_track_allocated(object, size);
    return object;
}
