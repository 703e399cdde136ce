/* SPDX-License-Identifier: MIT */
#include "chunk/store.h"

#include <assert.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/decay.h"
#include "chunk/runs.h"
#include "os/os.h"
#include "os/tracking.h"
#include "process/lock.h"

enum { large_count = 4 }; /* 2 MiB, 4 MiB, 8 MiB, 16 MiB */
#define LEAST_LARGE_BYTES (2 * TOFT_RUN_MAX_BYTES)
static_assert(LEAST_LARGE_BYTES << (large_count - 1) == TOFT_RECYCLED_MAX_BYTES, "levels");

static struct {
    toft_os_mutex lock;
    toft_runs runs;
    toft_recycled *large[large_count];
    size_t large_bytes;
    size_t idle_low_bytes; /* the least of idle_bytes() since the last step of decay */
    uint64_t decayed_at_ms;
} store;

static void *map(size_t bytes, size_t huge_bytes) {
    bool huge = bytes >= TOFT_HUGE_PAGE_BYTES;
    size_t page_bytes = toft_os_page_bytes();
    void *mapped = toft_os_map_ordinary(toft_align_up(bytes, page_bytes),
                                        huge ? TOFT_HUGE_PAGE_BYTES : page_bytes);
    if (mapped != NULL && huge_bytes != 0) {
        toft_os_prefer_huge(mapped, huge_bytes);
        toft_os_touch_huge_page(mapped);
    }
    return mapped;
}

static void unmap(void *memory, size_t bytes) {
    toft_os_unmap(memory, toft_align_up(bytes, toft_os_page_bytes()));
}

/* While a tool tracks memory, a block in the store is poisoned, except for its link. */
static void poison(toft_recycled *idle, size_t bytes) {
    if (toft_tracking()) toft_track_free(idle + 1, bytes - sizeof *idle);
}
static void unpoison(toft_recycled *idle, size_t bytes) {
    if (toft_tracking()) toft_track_allocated(idle + 1, bytes - sizeof *idle);
}

/* --- the store's runs: its lock is free when a function is called, unless the function says
   otherwise --- */

/* How much is idle: physical memory may be spent on it. The lock is held in the calls of this
   function and the next. */
static size_t idle_bytes(void) { return store.large_bytes + store.runs.dirty_bytes; }

static void note_low(void) { store.idle_low_bytes = toft_min(store.idle_low_bytes, idle_bytes()); }

/* Every block is aligned to the largest size that a block can have, so that the address of a run
   tells its block. */
static toft_run_block *block_of(void *run) {
    return (toft_run_block *)((uintptr_t)run & ~(uintptr_t)(TOFT_RUN_BLOCK_BYTES - 1));
}

/* The lock is held in the calls of this function and the next. */
static void discard_runs(size_t keep_bytes) {
    toft_runs_discard(&store.runs, keep_bytes);
    note_low();
}

static void *take_run(size_t bytes) {
    toft_run_block *from;
    void *taken = toft_runs_take(&store.runs, bytes, &from);
    note_low();
    return taken;
}

static void *add_run_block(size_t block_bytes, size_t bytes) {
    block_bytes = toft_align_up(block_bytes, toft_os_page_bytes());
    void *added = toft_os_map_ordinary(block_bytes, TOFT_RUN_BLOCK_BYTES);
    if (added == NULL) return NULL;
    toft_lock(&store.lock);
    toft_runs_add(&store.runs, added, block_bytes, 0);
    void *taken = take_run(bytes);
    toft_unlock(&store.lock);
    return taken;
}

/* Where there is no memory for a block of the usual size, a block for this run alone is tried. */
static void *runs_take(size_t bytes) {
    toft_lock(&store.lock);
    void *taken = take_run(bytes);
    toft_unlock(&store.lock);
    if (taken == NULL) taken = add_run_block(TOFT_RUN_BLOCK_BYTES, bytes);
    if (taken == NULL) taken = add_run_block(toft_run_least_block_bytes(bytes), bytes);
    return taken;
}

static void unmap_empty_blocks(size_t keep_bytes) {
    for (;;) {
        toft_lock(&store.lock);
        toft_run_block *popped = toft_runs_pop_empty(&store.runs, keep_bytes);
        note_low();
        toft_unlock(&store.lock);
        if (popped == NULL) return;
        toft_os_unmap(popped, toft_run_block_bytes(popped));
    }
}

static void runs_give(void *memory, size_t bytes) {
    toft_lock(&store.lock);
    toft_runs_give(&store.runs, block_of(memory), memory, bytes);
    size_t left_bytes = TOFT_STORE_BYTES - store.large_bytes;
    size_t keep_bytes = toft_max(left_bytes, TOFT_STORE_RUN_BYTES);
    bool too_many_blocks = store.runs.empty_bytes > keep_bytes;
    if (store.runs.dirty_bytes > keep_bytes) discard_runs(keep_bytes / 2);
    toft_unlock(&store.lock);
    if (too_many_blocks) unmap_empty_blocks(keep_bytes / 2);
}

/* --- the store's larger blocks: its lock is free when a function is called --- */

static size_t large_bytes(unsigned level) { return LEAST_LARGE_BYTES << level; }

/* The level of a size that is kept. */
static unsigned large_level(size_t bytes) {
    return toft_log2_ceil(bytes) - toft_log2_ceil(LEAST_LARGE_BYTES);
}

static bool is_kept(size_t bytes) {
    return bytes <= TOFT_RECYCLED_MAX_BYTES && toft_is_power_of_two(bytes);
}

static toft_recycled *large_take(unsigned level) {
    toft_lock(&store.lock);
    toft_recycled *taken = toft_recycled_pop(&store.large[level]);
    TOFT_ASSERT(taken == NULL || store.large_bytes >= large_bytes(level));
    if (taken != NULL) store.large_bytes -= large_bytes(level);
    note_low();
    toft_unlock(&store.lock);
    if (taken != NULL) unpoison(taken, large_bytes(level));
    return taken;
}

static void large_give(toft_recycled *given, unsigned level) {
    size_t bytes = large_bytes(level);
    poison(given, bytes);
    toft_lock(&store.lock);
    size_t kept_bytes = store.large_bytes + store.runs.dirty_bytes;
    bool room = kept_bytes + bytes <= TOFT_STORE_BYTES;
    if (room) {
        toft_recycled_push(&store.large[level], given);
        store.large_bytes += bytes;
    }
    TOFT_ASSERT(store.large_bytes <= TOFT_STORE_BYTES);
    toft_unlock(&store.lock);
    if (room) return;
    unpoison(given, bytes);
    unmap(given, bytes);
}

/* --- both --- */

static bool has_more_idle(size_t keep_bytes) {
    toft_lock(&store.lock);
    bool more = idle_bytes() > keep_bytes;
    toft_unlock(&store.lock);
    return more;
}

void *toft_store_take(size_t bytes, size_t huge_bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES) return runs_take(bytes);
    void *taken = is_kept(bytes) ? large_take(large_level(bytes)) : NULL;
    return taken != NULL ? taken : map(bytes, huge_bytes);
}

void toft_store_give(void *memory, size_t bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES)
        runs_give(memory, bytes);
    else if (is_kept(bytes))
        large_give(memory, large_level(bytes));
    else
        unmap(memory, bytes);
}

void toft_store_trim(size_t keep_bytes) {
    for (unsigned level = large_count; level-- > 0;) {
        toft_recycled *trimmed;
        while (has_more_idle(keep_bytes) && (trimmed = large_take(level)) != NULL)
            unmap(trimmed, large_bytes(level));
    }
    if (keep_bytes != 0 && !has_more_idle(keep_bytes)) return;
    unmap_empty_blocks(keep_bytes);
    toft_lock(&store.lock);
    discard_runs(keep_bytes);
    toft_unlock(&store.lock);
}

void toft_store_decay(uint64_t now_ms) {
    toft_lock(&store.lock);
    TOFT_ASSERT(store.idle_low_bytes <= idle_bytes());
    size_t given_bytes =
        toft_decay_step_locked(&store.decayed_at_ms, now_ms, idle_bytes(), &store.idle_low_bytes);
    size_t keep_bytes = idle_bytes() - given_bytes;
    toft_unlock(&store.lock);
    if (given_bytes != 0) toft_store_trim(keep_bytes);
}

/* --- what happens to the process --- */

void toft_store_lock(void) { toft_os_lock(&store.lock); }
void toft_store_unlock(void) { toft_os_unlock(&store.lock); }

void toft_store_track(const void *memory, size_t bytes) {
    toft_lock(&store.lock);
    toft_track_chunk(memory, bytes);
    toft_unlock(&store.lock);
}

void toft_store_forget(const void *memory, size_t bytes) {
    toft_lock(&store.lock);
    toft_forget_chunk(memory, bytes);
    toft_unlock(&store.lock);
}
