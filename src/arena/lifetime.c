/* SPDX-License-Identifier: MIT */
/* The life of an arena: made, moved, rewound, reset, released. */
#include "arena/arena.h"

/* As after its initialisation: with its options, and in its first buffer if it has one. */
static void begin(toft_arena *arena, toft_chunk *buffer) {
    if (buffer != NULL) {
        buffer->next = NULL;
        buffer->owner = arena;
    }
    arena->first = buffer;
    arena->reserved_bytes = buffer == NULL ? 0 : buffer->bytes;
    arena->deferred = NULL;
    arena->peak = NULL;
    arena->earlier_bytes = 0;
    arena->high_water_bytes = 0;
    arena->upstream_allocations = 0;
    arena->upstream_frees = 0;
    toft_arena_continue_in(arena, buffer);
}

void toft_arena_init(toft_arena *arena, const toft_arena_options *options) {
    *arena = (toft_arena)TOFT_ARENA_INIT;
    if (options == NULL) return;
    if (options->upstream.allocate == NULL && options->upstream.free != NULL)
        toft_misuse(arena, "the upstream in the arena's options has a free, but no allocate");
    arena->upstream = options->upstream;
    arena->chunk_bytes = options->chunk_bytes;
    arena->limit_bytes = options->limit_bytes;
    arena->keep_bytes = options->keep_bytes;

    size_t buffer_bytes = options->first_buffer_bytes;
    if (arena->limit_bytes != 0) buffer_bytes = toft_min(buffer_bytes, arena->limit_bytes);
    begin(arena, toft_chunk_borrow(options->first_buffer, buffer_bytes));
}

void toft_arena_move(toft_arena *to, toft_arena *from) {
    toft_arena_check(from);
    *to = *from;
    if (to->first != NULL) to->first->owner = to;
    *from = (toft_arena)TOFT_ARENA_INIT;
}

/* Functions may allocate and defer more: the list is taken apart one by one. */
static void run_deferred(toft_arena *arena, const toft_deferred *until) {
    while (arena->deferred != NULL && arena->deferred != until) {
        toft_deferred *deferred = arena->deferred;
        arena->deferred = deferred->next;
        deferred->run(deferred);
    }
}

/* Everything in the chunks from first to the current one, from cur on in the first of them. */
static void poison_from(toft_arena *arena, toft_chunk *first, const char *cur) {
    toft_track_free(cur, (size_t)(first->end - cur));
    for (toft_chunk *chunk = first; chunk != arena->chunk; chunk = chunk->next) {
        const char *start = toft_chunk_start(chunk->next);
        toft_track_free(start, (size_t)(chunk->next->end - start));
    }
}

/* Frees all that lies behind cur in chunk. */
static void go_back(toft_arena *arena, toft_chunk *chunk, char *cur, size_t earlier_bytes) {
    toft_arena_note_high_water(arena);
    if (toft_tracking()) poison_from(arena, chunk, cur);
    arena->earlier_bytes = earlier_bytes;
    toft_arena_continue_at(arena, chunk, cur);
}

/* Gives back the empty chunks, from the given one on, that keep_bytes has no room for. */
static void trim(toft_arena *arena, toft_chunk *chunk, size_t kept_bytes) {
    while (chunk != NULL) {
        toft_chunk *next = chunk->next;
        if (chunk->borrowed ||
            chunk->bytes <= arena->keep_bytes - toft_min(arena->keep_bytes, kept_bytes))
            kept_bytes += chunk->bytes;
        else
            toft_arena_drop_chunk(arena, chunk);
        chunk = next;
    }
}

toft_savepoint toft_arena_save(const toft_arena *arena) {
    return (toft_savepoint){
        .chunk = arena->chunk,
        .cur = arena->cur,
        .deferred = arena->deferred,
        .earlier_bytes = arena->earlier_bytes,
        .generation = arena->generation,
    };
}

void toft_arena_rewind(toft_arena *arena, toft_savepoint savepoint) {
    toft_arena_check(arena);
    if (savepoint.generation != arena->generation)
        toft_misuse(arena, "rewound to a savepoint from before a reset or release");
    toft_chunk *chunk = arena->chunk;
    while (chunk != savepoint.chunk && chunk != NULL) chunk = chunk->prev;
    if (chunk != savepoint.chunk)
        toft_misuse(arena, "rewound to a savepoint of another arena, or one that was rewound past");

    run_deferred(arena, savepoint.deferred);
    if (chunk == NULL) { /* saved before the first chunk came */
        if (arena->first == NULL) return;
        chunk = arena->first;
        savepoint.cur = toft_chunk_start(chunk);
    }
    /* What lay behind the savepoint's last object may itself have been freed since, as the last
     * one. */
    if (chunk == arena->chunk && savepoint.cur >= arena->cur) return;

    bool left = chunk != arena->chunk;
    go_back(arena, chunk, savepoint.cur, savepoint.earlier_bytes);
    if (!left || arena->keep_bytes == 0) return;
    size_t kept_bytes = 0;
    for (toft_chunk *kept = chunk; kept != NULL; kept = kept->prev) kept_bytes += kept->bytes;
    trim(arena, chunk->next, kept_bytes);
}

void toft_arena_reset(toft_arena *arena) {
    toft_arena_check(arena);
    run_deferred(arena, NULL);
    arena->generation++;
    if (arena->first == NULL) return;
    go_back(arena, arena->first, toft_chunk_start(arena->first), 0);
    if (arena->keep_bytes == 0) return;
    trim(arena, arena->first, 0);
    toft_arena_continue_in(arena, arena->first);
}

/* Gives every chunk back but a first buffer, which is returned. Oldest first: an upstream that
   shrinks from the top, as glibc's does, then shrinks once. */
static toft_chunk *destroy_chunks(toft_arena *arena) {
    toft_chunk *buffer = NULL;
    for (toft_chunk *chunk = arena->first, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        if (chunk->borrowed)
            buffer = chunk;
        else
            toft_chunk_destroy(&arena->upstream, chunk);
    }
    return buffer;
}

void toft_arena_release(toft_arena *arena) {
    toft_arena_check(arena);
    run_deferred(arena, NULL);
    arena->generation++;
    toft_chunk *buffer = destroy_chunks(arena);
    if (buffer != NULL && toft_tracking())
        toft_track_free(toft_chunk_start(buffer), (size_t)(buffer->end - toft_chunk_start(buffer)));
    begin(arena, buffer);
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

toft_arena_stats toft_arena_get_stats(const toft_arena *arena) {
    toft_arena noted = *arena;
    toft_arena_note_high_water(&noted);
    size_t chunks = 0;
    for (toft_chunk *chunk = arena->first; chunk != NULL; chunk = chunk->next) chunks++;
    return (toft_arena_stats){
        .used_bytes = toft_arena_used_bytes(arena, arena->cur),
        .reserved_bytes = arena->reserved_bytes,
        .high_water_bytes = noted.high_water_bytes,
        .chunks = chunks,
        .upstream_allocations = arena->upstream_allocations,
        .upstream_frees = arena->upstream_frees,
    };
}
