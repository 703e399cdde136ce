/* SPDX-License-Identifier: MIT */
/* Allocation beyond the inlined path: large or tracked objects, and the way to the next chunk. */
#include "arena/arena.h"

typedef struct request {
    size_t size; /* rounded, not 0 */
    size_t alignment;
    size_t front_bytes; /* poisoned bytes before the object */
} request;

/* Where the object would lie in memory that is free from cur on. */
static uintptr_t placed_at(const char *cur, request wanted) {
    return toft_align_up((uintptr_t)cur + wanted.front_bytes, wanted.alignment);
}

static bool fits(const char *cur, const char *end, request wanted) {
    return placed_at(cur, wanted) - (uintptr_t)cur + wanted.size <= (size_t)(end - cur);
}

/* Finds a kept chunk with room, and moves it next to the current one, so that the chunks that were
   too small can still serve later requests. */
static toft_chunk *find_kept(toft_arena *arena, request wanted) {
    toft_chunk *current = toft_arena_current(arena);
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

/* Adds a new chunk that has room for the request. */
static toft_chunk *add_chunk(toft_arena *arena, request wanted) {
    size_t padding_bytes = wanted.alignment > TOFT_CHUNK_ALIGNMENT ? wanted.alignment : 0;
    return toft_arena_add_chunk(arena, wanted.front_bytes + padding_bytes + wanted.size);
}

/* Makes a chunk with room for the request the current one: a kept one, or else a new one. When a
   new one is needed, the kept ones were all too small. They go back first, since the new one takes
   their place: so a loop of growing requests holds no more than it uses. */
static bool advance(toft_arena *arena, request wanted) {
    toft_chunk *current = toft_arena_current(arena);
    toft_chunk *chunk = NULL;
    if (current != NULL) {
        chunk = find_kept(arena, wanted);
        while (chunk == NULL && current->next != NULL) toft_arena_drop_chunk(arena, current->next);
    }
    if (chunk == NULL) chunk = add_chunk(arena, wanted);
    if (chunk == NULL) return false;
    if (current != NULL) {
        chunk->earlier_bytes = toft_arena_used_bytes(arena);
        toft_arena_ledger(arena)->high_water_bytes = toft_arena_high_water_bytes(arena);
    }
    toft_arena_continue_at(arena, chunk, toft_arena_start(arena, chunk));
    return true;
}

bool toft_arena_has_ledger(toft_arena *arena) {
    request nothing = {.size = TOFT_ARENA_GRANULE, .alignment = TOFT_ARENA_GRANULE};
    return arena->first != NULL || advance(arena, nothing);
}

/* Tells the tool of a new object. All of a chunk is poisoned except its objects; a first buffer is
   poisoned from the moment when the first object lies in it. */
static void track(const toft_arena *arena, const void *object, size_t size) {
    toft_chunk *chunk = toft_arena_current(arena);
    if (chunk->borrowed && arena->cur == toft_arena_start(arena, chunk))
        toft_track_free(arena->cur, (size_t)(chunk->end - arena->cur));
    toft_track_allocated(object, size);
}

/* Begins the first chunk of an arena with defaults, and writes neither header nor ledger. */
static bool begin_first_chunk(toft_arena *arena, request wanted) {
    bool defaults = (arena->chunk_bytes | arena->limit_bytes) == 0 && arena->upstream == NULL;
    size_t room_bytes = TOFT_ARENA_FIRST_BYTES - TOFT_ARENA_LEDGER_BYTES;
    if (!defaults || wanted.size > room_bytes || wanted.alignment > room_bytes - wanted.size)
        return false;
    void *memory = toft_recycle_take(TOFT_ARENA_FIRST_BYTES, 0);
    if (memory == NULL) return false;
    toft_arena_begin(arena, memory, toft_chunk_end(memory, TOFT_ARENA_FIRST_BYTES), toft_chunk_own);
    return true;
}

/* Makes sure that the current chunk has room for the request behind cur. */
static bool make_room(toft_arena *arena, request wanted) {
    if (arena->first == NULL) {
        TOFT_ASSERT(toft_arena_is_sound(arena));
        return (!toft_tracking() && begin_first_chunk(arena, wanted)) || advance(arena, wanted);
    }
    toft_arena_enter(arena);
    return fits(arena->cur, toft_arena_current(arena)->end, wanted) || advance(arena, wanted);
}

static TOFT_NOINLINE void *alloc(toft_arena *arena, size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (size > TOFT_ARENA_MAX || alignment > TOFT_ARENA_MAX) return NULL;

    bool tracking = toft_tracking();
    request wanted = {
        .size = toft_arena_rounded(toft_max(size, 1)),
        .alignment = toft_max(alignment, TOFT_ARENA_GRANULE),
        .front_bytes = tracking ? TOFT_REDZONE_BYTES : 0,
    };
    if (!make_room(arena, wanted)) return NULL;

    void *object = (void *)placed_at(arena->cur, wanted);
    if (tracking) track(arena, object, size);
    arena->cur = (char *)object + wanted.size;
    TOFT_ASSERT(toft_arena_is_sound(arena));
    return object;
}

/* Allocates the first object of an arena with defaults, in a chunk from its thread's shelf. NULL
   where it isn't the first, the arena has options, or the shelf is empty. Most arenas need no more
   of the slow path than this. */
static inline void *begin_warm(toft_arena *arena, size_t size, size_t alignment) {
    bool defaults = arena->first == NULL && arena->upstream == NULL &&
                    (arena->chunk_bytes | arena->limit_bytes) == 0;
    bool usual = size - 1 < TOFT_ARENA_FIRST_BYTES / 2 && alignment - 1 < TOFT_CHUNK_ALIGNMENT &&
                 toft_is_power_of_two(alignment);
    if (!defaults || !usual) return NULL;
    char *memory = toft_recycle_take_warm(0);
    if (memory == NULL) return NULL;
    toft_arena_begin(arena, memory, toft_chunk_end(memory, TOFT_ARENA_FIRST_BYTES), toft_chunk_own);
    void *object = arena->cur;
    arena->cur += toft_arena_rounded(size);
    return object;
}

void *toft_arena_alloc_slow(toft_arena *arena, size_t size, size_t alignment) {
    void *first = begin_warm(arena, size, alignment);
    return TOFT_LIKELY(first != NULL) ? first : alloc(arena, size, alignment);
}
