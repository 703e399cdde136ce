/* SPDX-License-Identifier: MIT */
/* An arena's chunks: how large they are, and their way from the upstream and back. */
#include "arena/arena.h"

#define GROWTH_FACTOR ((size_t)8)
#define GROWTH_MAX_BYTES TOFT_HUGE_PAGE_BYTES

/* An arena of this size may have huge pages: one that is hardly used is a small part of it. */
#define LARGE_ARENA_BYTES ((size_t)8 << 20)

/* What a chunk is to be. */
typedef struct plan {
    size_t bytes;
    size_t huge_bytes; /* so many of them, the first ones, shall lie in huge pages */
    bool early;        /* counted by toft_chunk_count_early */
} plan;

static size_t reserved_bytes(const toft_arena *arena) {
    return arena->first == NULL ? 0 : toft_arena_ledger(arena)->reserved_bytes;
}

/* Chunks grow fast to the size of a huge page, and then stay at it: each is one, and is touched as
   toft_os_touch_huge_page says. */
static size_t grown_bytes(const toft_arena *arena) {
    size_t bytes = arena->chunk_bytes != 0 ? arena->chunk_bytes : TOFT_ARENA_FIRST_BYTES;
    const toft_chunk *current = toft_arena_current(arena);
    if (current == NULL) return bytes;
    size_t larger_bytes = toft_min(current->bytes, GROWTH_MAX_BYTES) * GROWTH_FACTOR;
    return toft_max(bytes, toft_min(larger_bytes, GROWTH_MAX_BYTES));
}

/* The usual size, made smaller for an arena with a limit: a chunk that is only partly filled costs
   an arena without a limit little, but may be all that an arena with a limit has left. */
static size_t usual_bytes_within(const toft_arena *arena, size_t usual_bytes, size_t least_bytes) {
    size_t part_bytes = toft_max(arena->limit_bytes / 8, TOFT_RUN_GRANULE_BYTES);
    usual_bytes = toft_min(usual_bytes, toft_max(part_bytes, arena->chunk_bytes));
    return least_bytes > usual_bytes / 2 ? least_bytes : usual_bytes;
}

/* Rounds up to a size that the recycler keeps well, unless a limit forbids the waste; or to the
   granule of spare memory, where the chunk may become spare memory. */
static size_t rounded_bytes(const toft_arena *arena, size_t bytes) {
    if (!toft_arena_gives_back(arena)) return toft_align_up(bytes, TOFT_SPARE_GRANULE_BYTES);
    if (arena->upstream != NULL) return bytes;
    size_t best_bytes = toft_recycle_bytes(bytes);
    bool affordable = arena->limit_bytes == 0 || best_bytes <= arena->limit_bytes / 8;
    return affordable ? best_bytes : toft_run_bytes(bytes);
}

/* How many of bytes the limit allows; 0 where it allows less than least_bytes. The result is a
   whole number of pages, where least_bytes fits into them, or of granules of spare memory. */
static size_t bytes_left_of(const toft_arena *arena, size_t bytes, size_t least_bytes) {
    if (arena->limit_bytes == 0) return bytes;
    size_t left_bytes = arena->limit_bytes - reserved_bytes(arena);
    if (bytes <= left_bytes) return bytes;
    if (!toft_arena_gives_back(arena)) left_bytes &= ~(TOFT_SPARE_GRANULE_BYTES - 1);
    if (least_bytes > left_bytes) return 0;
    size_t whole_bytes = left_bytes & ~(TOFT_RUN_GRANULE_BYTES - 1);
    return arena->upstream == NULL && whole_bytes >= least_bytes ? whole_bytes : left_bytes;
}

/* The bytes of the huge pages that an object fills. The last one counts where what the object
   leaves unused of it is at most an eighth of the object. */
static size_t filled_huge_bytes(size_t bytes) {
    size_t more_bytes = toft_align_up(bytes, TOFT_HUGE_PAGE_BYTES);
    return more_bytes - bytes <= bytes / 8 ? more_bytes : more_bytes - TOFT_HUGE_PAGE_BYTES;
}

/* Memory of the system comes in runs of shared mappings, in ordinary pages, until the arena is
   large, or is one of the few that may have huge pages early. A first chunk is as the user says. */
static plan plan_growth(const toft_arena *arena, size_t usual_bytes, size_t least_bytes) {
    plan planned = {.bytes = usual_bytes};
    bool grown = usual_bytes >= TOFT_RUN_MAX_BYTES && least_bytes < TOFT_RUN_MAX_BYTES;
    bool has_own_size = arena->first == NULL && usual_bytes < GROWTH_MAX_BYTES;
    if (arena->upstream != NULL || !grown || has_own_size) return planned;
    planned.early = reserved_bytes(arena) < LARGE_ARENA_BYTES && toft_chunk_count_early();
    if (planned.early || reserved_bytes(arena) >= LARGE_ARENA_BYTES)
        planned.huge_bytes = planned.bytes = toft_max(usual_bytes, GROWTH_MAX_BYTES);
    else
        planned.bytes = toft_max(TOFT_RUN_MAX_BYTES, arena->chunk_bytes);
    return planned;
}

/* Makes a chunk in spare memory, which the upstream hasn't taken back: of the usual size, or as
   large as the largest spare piece. */
static toft_chunk *create_of_spare(toft_ledger *ledger, size_t usual_bytes, size_t least_bytes) {
    if (TOFT_LIKELY(ledger->spare == NULL)) return NULL;
    size_t bytes = toft_min(toft_max(usual_bytes, least_bytes), toft_spare_largest(ledger->spare));
    bytes = toft_align_up(bytes, TOFT_SPARE_GRANULE_BYTES);
    if (bytes < least_bytes) return NULL;
    return toft_chunk_at(toft_spare_take(&ledger->spare, bytes), bytes, toft_chunk_own);
}

/* Creates a chunk as planned. Where there is no memory for it, tries one that holds just the
   request. */
static toft_chunk *create(const toft_arena *arena, plan planned, size_t least_bytes) {
    size_t bytes = rounded_bytes(arena, toft_max(planned.bytes, least_bytes));
    bytes = bytes_left_of(arena, bytes, least_bytes);
    size_t huge_bytes = planned.huge_bytes != 0 ? bytes : filled_huge_bytes(least_bytes);
    huge_bytes = toft_min(huge_bytes, bytes) & ~(TOFT_HUGE_PAGE_BYTES - 1);
    toft_chunk *chunk = NULL;
    if (bytes != 0) chunk = toft_chunk_create(arena->upstream, bytes, huge_bytes);
    if (TOFT_UNLIKELY(chunk == NULL && bytes > least_bytes)) {
        if (!toft_arena_gives_back(arena))
            least_bytes = toft_align_up(least_bytes, TOFT_SPARE_GRANULE_BYTES);
        chunk = toft_chunk_create(arena->upstream, least_bytes, 0);
    }
    if (chunk != NULL)
        chunk->early = planned.early;
    else if (planned.early)
        toft_chunk_uncount_early();
    return chunk;
}

/* The same for an arena that has a ledger, in which the chunk is counted. */
static toft_chunk *create_and_count(toft_arena *arena, size_t usual_bytes, size_t least_bytes,
                                    plan planned) {
    toft_ledger *ledger = toft_arena_ledger(arena);
    toft_chunk *chunk = create_of_spare(ledger, usual_bytes, least_bytes);
    if (chunk != NULL) return chunk;
    chunk = create(arena, planned, least_bytes);
    if (TOFT_UNLIKELY(chunk == NULL)) return NULL;
    ledger->reserved_bytes += chunk->bytes;
    ledger->upstream_allocations++;
    return chunk;
}

/* Links chunk behind the current one, which counts as full from now on. */
static void link_behind(toft_arena *arena, toft_chunk *current, toft_chunk *chunk) {
    toft_chunk_end_early(current);
    toft_arena_ledger(arena)->chunks++;
    current->next = chunk;
    chunk->prev = current;
}

toft_chunk *toft_arena_add_chunk(toft_arena *arena, size_t needed_bytes) {
    toft_chunk *current = toft_arena_current(arena);
    size_t least_bytes = sizeof(toft_chunk) + (current == NULL ? sizeof(toft_ledger) : 0) +
                         needed_bytes + toft_redzone_bytes();
    size_t usual_bytes = grown_bytes(arena);
    if (arena->limit_bytes != 0) usual_bytes = usual_bytes_within(arena, usual_bytes, least_bytes);
    plan planned = plan_growth(arena, usual_bytes, least_bytes);
    if (current == NULL) {
        toft_chunk *first = create(arena, planned, least_bytes);
        if (first != NULL) toft_arena_begin_ledger_in(arena, first);
        return first;
    }
    toft_chunk *chunk = create_and_count(arena, usual_bytes, least_bytes, planned);
    if (chunk != NULL) link_behind(arena, current, chunk);
    TOFT_ASSERT(chunk == NULL || chunk->bytes >= least_bytes);
    TOFT_ASSERT(toft_arena_is_sound(arena));
    return chunk;
}

void toft_arena_drop_chunk(toft_arena *arena, toft_chunk *chunk) {
    TOFT_ASSERT(chunk != arena->first);
    TOFT_ASSERT(chunk->prev->next == chunk);
    chunk->prev->next = chunk->next;
    if (chunk->next != NULL) chunk->next->prev = chunk->prev;
    toft_arena_ledger(arena)->chunks--;
    toft_arena_give_block(arena, chunk);
}

/* The ledger counts the block, and lies in the first chunk, so that there must be one. Where there
   is no memory for the block, chunks kept for reuse go back first. */
toft_chunk *toft_arena_take_block(toft_arena *arena, size_t least_bytes) {
    toft_arena_enter(arena);
    if (!toft_arena_has_ledger(arena)) return NULL;
    toft_chunk *block = create_and_count(arena, least_bytes, least_bytes, (plan){0});
    toft_chunk *current = toft_arena_current(arena);
    if (TOFT_LIKELY(block != NULL) || current->next == NULL) return block;
    while (current->next != NULL) toft_arena_drop_chunk(arena, current->next);
    return create_and_count(arena, least_bytes, least_bytes, (plan){0});
}

void toft_arena_give_block(toft_arena *arena, toft_chunk *block) {
    toft_ledger *ledger = toft_arena_ledger(arena);
    if (toft_arena_gives_back(arena)) {
        TOFT_ASSERT(ledger->reserved_bytes >= block->bytes);
        ledger->reserved_bytes -= block->bytes;
        ledger->upstream_frees++;
        toft_chunk_destroy(arena->upstream, block);
    } else {
        if (toft_tracking()) toft_chunk_forget_slow(block);
        toft_spare_give(&ledger->spare, block, block->bytes);
    }
}
