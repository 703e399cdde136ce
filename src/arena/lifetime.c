/* SPDX-License-Identifier: MIT */
/* The life of an arena: made, moved, rewound, reset, released. */
#include "arena/arena.h"

void toft_arena_open_slow(toft_arena *arena) {
    char *cur = arena->cur, *high = arena->high;
    size_t bytes =
        arena->borrowed ? (size_t)(arena->end - (char *)arena->first) : TOFT_ARENA_FIRST_BYTES;
    toft_chunk_owner owner = arena->borrowed ? toft_chunk_borrowed : toft_chunk_own;
    toft_arena_begin_ledger_in(arena, toft_chunk_at(arena->first, bytes, owner));
    toft_arena_continue_at(arena, arena->first, cur);
    arena->high = high;
}

/* Allocation begins in a first buffer. A tool must know of it at once. */
static void begin_in_buffer(toft_arena *arena, void *buffer, char *end) {
    toft_arena_begin(arena, buffer, end, toft_chunk_borrowed);
    if (toft_tracking()) toft_arena_open_slow(arena);
}

/* Uses the buffer as the first chunk, if the ledger fits in its aligned part. */
static void borrow(toft_arena *arena, void *buffer, size_t bytes) {
    size_t skipped_bytes =
        toft_align_up((uintptr_t)buffer, TOFT_CHUNK_ALIGNMENT) - (uintptr_t)buffer;
    if (bytes < skipped_bytes + TOFT_ARENA_LEDGER_BYTES) return;
    begin_in_buffer(arena, (char *)buffer + skipped_bytes, toft_chunk_end(buffer, bytes));
}

void toft_arena_init(toft_arena *arena, const toft_arena_options *options) {
    if (options == NULL) {
        *arena = (toft_arena)TOFT_ARENA_INIT;
        return;
    }
    const toft_upstream *upstream = options->upstream;
    if (upstream != NULL && upstream->allocate == NULL) {
        if (upstream->free != NULL || upstream->context != NULL)
            toft_misuse(arena, "the upstream in the arena's options has no allocate");
        upstream = NULL; /* all zero: the system */
    }
    *arena = (toft_arena){
        .upstream = upstream,
        .chunk_bytes = toft_min(options->chunk_bytes, TOFT_ARENA_MAX),
        .limit_bytes = options->limit_bytes,
        .keep_bytes = options->keep_bytes,
    };
    if (options->first_buffer == NULL) return;
    size_t buffer_bytes = options->first_buffer_bytes;
    if (arena->limit_bytes != 0) buffer_bytes = toft_min(buffer_bytes, arena->limit_bytes);
    borrow(arena, options->first_buffer, buffer_bytes);
}

void toft_arena_move(toft_arena *to, toft_arena *from) {
    toft_arena_check(from);
    if (to == from) return;
    *to = *from;
    if (to->first != NULL) *toft_arena_owner(to) = to;
    *from = (toft_arena)TOFT_ARENA_INIT;
    TOFT_ASSERT(toft_arena_is_sound(to));
}

/* The functions may allocate, and defer more. So each is taken from the list before it runs. */
void toft_arena_run_deferred(toft_arena *arena, const toft_deferred *until) {
    while (arena->deferred != until) {
        toft_deferred *deferred = arena->deferred;
        if (deferred == NULL) toft_misuse(arena, "rewound to a savepoint that was rewound past");
        arena->deferred = deferred->next;
        deferred->run(deferred);
    }
}

/* Poisons everything from cur in chunk on, up to the end of the current chunk. */
static void poison_from(toft_arena *arena, toft_chunk *chunk, const char *cur) {
    toft_track_free(cur, (size_t)(chunk->end - cur));
    while (chunk != toft_arena_current(arena)) {
        chunk = chunk->next;
        const char *start = toft_chunk_start(chunk);
        toft_track_free(start, (size_t)(chunk->end - start));
    }
}

/* Frees all that lies behind cur in chunk. */
static void go_back(toft_arena *arena, toft_chunk *chunk, char *cur) {
    toft_arena_ledger(arena)->high_water_bytes = toft_arena_high_water_bytes(arena);
    if (toft_tracking()) poison_from(arena, chunk, cur);
    toft_arena_continue_at(arena, chunk, cur);
    TOFT_ASSERT(toft_arena_is_sound(arena));
}

/* Gives back the empty chunks that keep_bytes has no room for, where so much is kept already. */
static void trim(toft_arena *arena, size_t kept_bytes) {
    for (toft_chunk *chunk = toft_arena_current(arena)->next, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        if (kept_bytes <= arena->keep_bytes && chunk->bytes <= arena->keep_bytes - kept_bytes)
            kept_bytes += chunk->bytes;
        else
            toft_arena_drop_chunk(arena, chunk);
    }
    TOFT_ASSERT(toft_arena_is_sound(arena));
}

/* The process's store hands out first the large chunk that it got last. */
static bool is_stored(const toft_arena *arena, const toft_chunk *chunk) {
    return arena->upstream == NULL && chunk->bytes > TOFT_SHELF_BYTES;
}

static void destroy_newest_first(toft_arena *arena, toft_chunk *oldest) {
    toft_chunk *chunk = oldest;
    while (chunk->next != NULL) chunk = chunk->next;
    for (toft_chunk *prev; chunk != oldest; chunk = prev) {
        prev = chunk->prev;
        toft_chunk_destroy(arena->upstream, chunk);
    }
    toft_chunk_destroy(arena->upstream, oldest);
}

/* Gives a chunk and all newer ones back, the oldest first: a heap that shrinks only at its top, as
   glibc's does, then shrinks once, and a thread's shelf keeps the smallest. But the newest first
   from the first one on that is stored: the last of all may have been filled in part alone, and the
   next arena is to begin with those that were full, or it would touch the rest of this one too. */
static TOFT_NOINLINE void destroy_chunks(toft_arena *arena, toft_chunk *oldest) {
    toft_chunk *chunk = oldest;
    for (toft_chunk *next; chunk != NULL && !is_stored(arena, chunk); chunk = next) {
        next = chunk->next;
        toft_chunk_destroy(arena->upstream, chunk);
    }
    if (chunk != NULL) destroy_newest_first(arena, chunk);
}

/* For an arena whose upstream takes nothing back: the first chunk becomes a borrowed buffer of the
   arena, and all other memory becomes spare. None of it stays poisoned or registered with a tool,
   since the owner of the memory may take it away without a call. */
static TOFT_NOINLINE void keep_all(toft_arena *arena) {
    toft_chunk *first = arena->first;
    while (first->next != NULL) toft_arena_drop_chunk(arena, first->next);
    if (toft_tracking()) {
        toft_ledger ledger = *toft_arena_ledger(arena);
        toft_chunk_forget_slow(first);
        *toft_arena_ledger(arena) = ledger;
        toft_spare_forget(ledger.spare);
    }
    first->borrowed = true;
    toft_ledger *kept = toft_arena_ledger(arena);
    kept->high_water_bytes = 0;
    kept->upstream_allocations = 0;
    kept->upstream_frees = 0;
    toft_arena_continue_at(arena, first, toft_arena_start(arena, first));
}

static void hold_nothing(toft_arena *arena) {
    arena->first = NULL;
    arena->cur = NULL;
    arena->end = NULL;
    arena->high = NULL;
    arena->ledger_unwritten = false;
}

/* Gives all chunks back, so that the arena is as before its first allocation. */
static void give_back(toft_arena *arena) {
    toft_chunk *first = arena->first;
    if (first == NULL) return;
    if (!arena->ledger_unwritten && !toft_arena_gives_back(arena)) {
        keep_all(arena);
        return;
    }
    bool borrowed = arena->borrowed;
    if (!arena->ledger_unwritten)
        destroy_chunks(arena, borrowed ? first->next : first);
    else if (!borrowed)
        toft_recycle_give(first, TOFT_ARENA_FIRST_BYTES);
    if (borrowed) {
        char *end = arena->ledger_unwritten ? arena->end : first->end;
        if (toft_tracking()) toft_chunk_forget_slow(first);
        begin_in_buffer(arena, first, end);
        return;
    }
    hold_nothing(arena);
}

/* Frees everything; what was deferred has run. */
static void empty(toft_arena *arena) {
    toft_chunk *first = arena->first;
    if (first == NULL) return;
    if (arena->keep_bytes != 0 && arena->keep_bytes < first->bytes && !first->borrowed) {
        give_back(arena);
        return;
    }
    go_back(arena, first, toft_arena_start(arena, first));
    if (arena->keep_bytes != 0) trim(arena, first->bytes);
}

toft_savepoint toft_arena_save(const toft_arena *arena) {
    return (toft_savepoint){
        .arena = arena,
        .chunk = arena->ledger_unwritten ? arena->first : toft_arena_current(arena),
        .cur = arena->cur,
        .deferred = arena->deferred,
        .generation = arena->generation,
    };
}

void toft_arena_rewind(toft_arena *arena, toft_savepoint savepoint) {
    toft_arena_enter(arena);
    if (savepoint.arena != arena) toft_misuse(arena, "rewound to a savepoint of another arena");
    if (savepoint.generation != arena->generation)
        toft_misuse(arena, "rewound, as by a scope, to a savepoint from before a reset or release");
    toft_chunk *chunk = toft_arena_current(arena);
    while (chunk != savepoint.chunk && chunk != NULL) chunk = chunk->prev;
    if (chunk != savepoint.chunk)
        toft_misuse(arena, "rewound to a savepoint that was rewound past");

    toft_arena_run_deferred(arena, savepoint.deferred);
    if (chunk == NULL) { /* saved before the first chunk came */
        empty(arena);
        return;
    }
    /* The last object before the savepoint may itself have been freed since. */
    if (chunk == toft_arena_current(arena) && savepoint.cur >= arena->cur) return;

    bool chunks_freed = chunk != toft_arena_current(arena);
    go_back(arena, chunk, savepoint.cur);
    if (chunks_freed && arena->keep_bytes != 0) trim(arena, 0);
}

void toft_arena_reset(toft_arena *arena) {
    toft_arena_enter(arena);
    toft_arena_run_deferred(arena, NULL);
    arena->generation++;
    empty(arena);
}

/* Releases an arena that has never left its first chunk and deferred nothing, as most arenas. False
   for others. */
static bool release_first_chunk(toft_arena *arena) {
    if (!arena->ledger_unwritten || arena->borrowed || arena->deferred != NULL) return false;
    toft_arena_check(arena);
    arena->generation++;
    void *first = arena->first;
    hold_nothing(arena);
    toft_recycle_give(first, TOFT_ARENA_FIRST_BYTES);
    return true;
}

static TOFT_NOINLINE void release(toft_arena *arena) {
    toft_arena_check(arena);
    toft_arena_run_deferred(arena, NULL);
    arena->generation++;
    give_back(arena);
    TOFT_ASSERT(toft_arena_is_sound(arena));
}

void toft_arena_release(toft_arena *arena) {
    if (!release_first_chunk(arena)) release(arena);
}

typedef struct deferred_call {
    toft_deferred link;
    void (*function)(void *argument);
    void *argument;
} deferred_call;

static void run_call(toft_deferred *self) {
    deferred_call *call = (deferred_call *)self;
    call->function(call->argument);
}

bool toft_arena_defer(toft_arena *arena, void (*function)(void *argument), void *argument) {
    deferred_call *call = toft_new(arena, deferred_call);
    if (call == NULL) return false;
    *call = (deferred_call){{arena->deferred, run_call}, function, argument};
    arena->deferred = &call->link;
    return true;
}

static toft_arena_stats stats_of_first_chunk(const toft_arena *arena) {
    const char *chunk = (const char *)arena->first;
    const char *start = chunk + TOFT_ARENA_LEDGER_BYTES;
    return (toft_arena_stats){
        .used_bytes = (size_t)(arena->cur - start),
        .reserved_bytes = (size_t)(arena->end - chunk),
        .high_water_bytes = (size_t)(toft_arena_high(arena) - start),
        .chunks = 1,
        .upstream_allocations = arena->borrowed ? 0 : 1,
    };
}

toft_arena_stats toft_arena_get_stats(const toft_arena *arena) {
    if (arena->first == NULL) return (toft_arena_stats){0};
    if (arena->ledger_unwritten) return stats_of_first_chunk(arena);
    const toft_ledger *ledger = toft_arena_ledger(arena);
    return (toft_arena_stats){
        .used_bytes = toft_arena_used_bytes(arena),
        .reserved_bytes = ledger->reserved_bytes,
        .high_water_bytes = toft_arena_high_water_bytes(arena),
        .chunks = ledger->chunks,
        .upstream_allocations = ledger->upstream_allocations,
        .upstream_frees = ledger->upstream_frees,
    };
}
