/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/upstream.h>

#include "base/bits.h"
#include "base/tracking.h"
#include "chunk/runs.h"
#include "os/os.h"

typedef toft_recycled block;

enum { large_count = 4 }; /* 2 MiB, 4 MiB, 8 MiB, 16 MiB */
#define LEAST_LARGE_BYTES (2 * TOFT_RUN_MAX_BYTES)
static_assert(LEAST_LARGE_BYTES << (large_count - 1) == TOFT_RECYCLED_MAX_BYTES, "levels");
static_assert(TOFT_SHELF_BYTES <= TOFT_RUN_MAX_BYTES, "what a thread keeps comes from runs");
static_assert(TOFT_RECYCLED_MIN_BYTES << (toft_shelf_levels - 1) == TOFT_SHELF_BYTES, "shelf");

_Thread_local toft_shelf toft_my_shelf;

static struct {
    toft_os_mutex lock;
    toft_runs runs;
    block *large[large_count];
    size_t large_bytes;
    enum { depot_new, depot_watched, depot_unwatched } state; /* do we hear of exiting threads? */
    toft_os_key key;
} depot;

static inline size_t level_bytes(unsigned level) { return TOFT_RECYCLED_MIN_BYTES << level; }

static inline void push(block **blocks, block *pushed) {
    pushed->next = *blocks;
    *blocks = pushed;
}

static inline block *pop(block **blocks) {
    block *popped = *blocks;
    if (popped != NULL) *blocks = popped->next;
    return popped;
}

static void *map(size_t bytes, size_t huge_bytes) {
    bool huge = bytes >= TOFT_HUGE_PAGE_BYTES;
    size_t page_bytes = toft_os_page_bytes();
    void *mapped = toft_os_map_ordinary(toft_align_up(bytes, page_bytes),
                                        huge ? TOFT_HUGE_PAGE_BYTES : page_bytes);
    if (mapped != NULL && huge_bytes != 0) toft_os_prefer_huge(mapped, huge_bytes);
    return mapped;
}

static void unmap(void *memory, size_t bytes) {
    toft_os_unmap(memory, toft_align_up(bytes, toft_os_page_bytes()));
}

/* What a tool watches is poisoned while it lies in the depot, all but its link. */
static void poison(block *idle, size_t bytes) {
    if (toft_tracking()) toft_track_free(idle + 1, bytes - sizeof *idle);
}
static void unpoison(block *idle, size_t bytes) {
    if (toft_tracking()) toft_track_allocated(idle + 1, bytes - sizeof *idle);
}

/* --- the depot of runs: every function with its lock free, but for those that say otherwise --- */

/* A block is aligned to the most that one can have, so that a run tells its own. */
static toft_run_block *block_of(void *run) {
    return (toft_run_block *)((uintptr_t)run & ~(uintptr_t)(TOFT_RUN_BLOCK_BYTES - 1));
}

/* The lock is held. */
static void *take_run(size_t bytes) {
    toft_run_block *from;
    return toft_runs_take(&depot.runs, bytes, &from);
}

static void *add_run_block(size_t block_bytes, size_t bytes) {
    block_bytes = toft_align_up(block_bytes, toft_os_page_bytes());
    void *added = toft_os_map_ordinary(block_bytes, TOFT_RUN_BLOCK_BYTES);
    if (added == NULL) return NULL;
    toft_os_lock(&depot.lock);
    toft_runs_add(&depot.runs, added, block_bytes);
    void *taken = take_run(bytes);
    toft_os_unlock(&depot.lock);
    return taken;
}

/* Where a whole block can't be had, perhaps one for this run alone can. */
static void *runs_take(size_t bytes) {
    toft_os_lock(&depot.lock);
    void *taken = take_run(bytes);
    toft_os_unlock(&depot.lock);
    if (taken == NULL) taken = add_run_block(TOFT_RUN_BLOCK_BYTES, bytes);
    if (taken == NULL) taken = add_run_block(toft_run_least_block_bytes(bytes), bytes);
    return taken;
}

static void unmap_empty_blocks(size_t keep_bytes) {
    for (;;) {
        toft_os_lock(&depot.lock);
        toft_run_block *popped = toft_runs_pop_empty(&depot.runs, keep_bytes);
        toft_os_unlock(&depot.lock);
        if (popped == NULL) return;
        toft_os_unmap(popped, toft_run_block_bytes(popped));
    }
}

static void runs_give(void *memory, size_t bytes) {
    toft_os_lock(&depot.lock);
    toft_runs_give(&depot.runs, block_of(memory), memory, bytes);
    size_t left_bytes = TOFT_DEPOT_BYTES - depot.large_bytes;
    size_t keep_bytes = toft_max(left_bytes, TOFT_DEPOT_RUN_BYTES);
    bool too_many_blocks = depot.runs.empty_bytes > keep_bytes;
    if (depot.runs.dirty_bytes > keep_bytes) toft_runs_discard(&depot.runs, keep_bytes / 2);
    toft_os_unlock(&depot.lock);
    if (too_many_blocks) unmap_empty_blocks(keep_bytes / 2);
}

/* --- the depot of larger blocks: every function with its lock free --- */

static size_t large_bytes(unsigned level) { return LEAST_LARGE_BYTES << level; }

/* Of a power of two that is kept. */
static unsigned large_level(size_t bytes) {
    return toft_log2_ceil(bytes) - toft_log2_ceil(LEAST_LARGE_BYTES);
}

static bool is_kept(size_t bytes) {
    return bytes <= TOFT_RECYCLED_MAX_BYTES && toft_is_power_of_two(bytes);
}

static block *large_take(unsigned level) {
    toft_os_lock(&depot.lock);
    block *taken = pop(&depot.large[level]);
    if (taken != NULL) depot.large_bytes -= large_bytes(level);
    toft_os_unlock(&depot.lock);
    if (taken != NULL) unpoison(taken, large_bytes(level));
    return taken;
}

static void large_give(block *given, unsigned level) {
    size_t bytes = large_bytes(level);
    poison(given, bytes);
    toft_os_lock(&depot.lock);
    size_t kept_bytes = depot.large_bytes + depot.runs.dirty_bytes;
    bool room = kept_bytes + bytes <= TOFT_DEPOT_BYTES;
    if (room) {
        push(&depot.large[level], given);
        depot.large_bytes += bytes;
    }
    toft_os_unlock(&depot.lock);
    if (room) return;
    unpoison(given, bytes);
    unmap(given, bytes);
}

/* --- both --- */

static void *depot_take(size_t bytes, size_t huge_bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES) return runs_take(bytes);
    void *taken = is_kept(bytes) ? large_take(large_level(bytes)) : NULL;
    return taken != NULL ? taken : map(bytes, huge_bytes);
}

static void depot_give(void *memory, size_t bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES)
        runs_give(memory, bytes);
    else if (is_kept(bytes))
        large_give(memory, large_level(bytes));
    else
        unmap(memory, bytes);
}

static void depot_trim(void) {
    unmap_empty_blocks(0);
    toft_os_lock(&depot.lock);
    toft_runs_discard(&depot.runs, 0);
    toft_os_unlock(&depot.lock);
    for (unsigned level = 0; level < large_count; level++) {
        block *trimmed;
        while ((trimmed = large_take(level)) != NULL) unmap(trimmed, large_bytes(level));
    }
}

/* --- the shelf --- */

static void shelf_clear(void) {
    for (unsigned level = 0; level < toft_shelf_levels; level++) {
        block *cleared;
        while ((cleared = pop(&toft_my_shelf.blocks[level])) != NULL)
            depot_give(cleared, level_bytes(level));
    }
    toft_my_shelf.bytes = 0;
}

/* Arenas may still be used by what the thread runs after this: they find the shelf closed. */
static void at_thread_exit(void *value) {
    (void)value;
    toft_my_shelf.state = toft_shelf_closed;
    shelf_clear();
}

/* A thread that couldn't tell us of its exit would lose what it keeps: it keeps nothing. Nor does
   any while a tool watches: in the depot it sees who uses what is free. */
static bool shelf_open(void) {
    toft_my_shelf.state = toft_shelf_closed;
    if (toft_tracking()) return false;
    toft_os_lock(&depot.lock);
    if (depot.state == depot_new) {
        bool watched = toft_os_key_create(&depot.key, at_thread_exit);
        depot.state = watched ? depot_watched : depot_unwatched;
    }
    bool watched = depot.state == depot_watched;
    toft_os_unlock(&depot.lock);
    if (!watched || !toft_os_key_set(depot.key, &toft_my_shelf)) return false;
    toft_my_shelf.state = toft_shelf_open;
    return true;
}

void toft_recycle_track(const void *memory, size_t bytes) {
    toft_os_lock(&depot.lock);
    toft_track_chunk(memory, bytes);
    toft_os_unlock(&depot.lock);
}

void toft_recycle_forget(const void *memory, size_t bytes) {
    toft_os_lock(&depot.lock);
    toft_forget_chunk(memory, bytes);
    toft_os_unlock(&depot.lock);
}

#if defined(__GNUC__) || defined(__clang__)
static void before_fork(void) { toft_os_lock(&depot.lock); }
static void after_fork(void) { toft_os_unlock(&depot.lock); }

/* From the start: any thread may hold the lock when another forks. */
__attribute__((constructor)) static void at_load(void) {
    (void)toft_os_at_fork(before_fork, after_fork);
}

/* A thread that exits after a shared library is unloaded must not run its code. */
__attribute__((destructor)) static void at_unload(void) {
    toft_trim();
    toft_os_lock(&depot.lock);
    if (depot.state == depot_watched) toft_os_key_delete(depot.key);
    depot.state = depot_unwatched;
    toft_os_unlock(&depot.lock);
}
#endif

/* --- the way past the shelf --- */

/* When the system has no more, it may be for what lies here unused. */
void *toft_recycle_take_slow(size_t bytes, size_t huge_bytes) {
    void *taken = depot_take(bytes, huge_bytes);
    if (taken != NULL) return taken;
    toft_trim();
    return depot_take(bytes, huge_bytes);
}

void toft_recycle_give_slow(void *memory, size_t bytes) {
    if (toft_my_shelf.state == toft_shelf_new && shelf_open())
        toft_recycle_give(memory, bytes);
    else
        depot_give(memory, bytes);
}

/* --- huge pages --- */

/* Relaxed: it counts, and guards nothing. */
static int early_chunks;

bool toft_recycle_begin_early(void) {
    if (__atomic_fetch_add(&early_chunks, 1, __ATOMIC_RELAXED) < TOFT_EARLY_HUGE_MAX) return true;
    toft_recycle_end_early();
    return false;
}

void toft_recycle_end_early(void) { __atomic_fetch_sub(&early_chunks, 1, __ATOMIC_RELAXED); }

void toft_trim(void) {
    shelf_clear();
    depot_trim();
}
