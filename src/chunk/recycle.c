/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/upstream.h>

#include "base/check.h"
#include "base/decay.h"
#include "chunk/runs.h"
#include "os/os.h"
#include "os/tracking.h"
#include "process/process.h"

typedef toft_recycled block;

enum { large_count = 4 }; /* 2 MiB, 4 MiB, 8 MiB, 16 MiB */
#define LEAST_LARGE_BYTES (2 * TOFT_RUN_MAX_BYTES)
static_assert(LEAST_LARGE_BYTES << (large_count - 1) == TOFT_RECYCLED_MAX_BYTES, "levels");
static_assert(TOFT_SHELF_BYTES <= TOFT_RUN_MAX_BYTES, "what a thread keeps comes from runs");
static_assert(TOFT_RECYCLED_MIN_BYTES << (toft_shelf_levels - 1) == TOFT_SHELF_BYTES, "shelf");

static struct {
    toft_os_mutex lock;
    toft_runs runs;
    block *large[large_count];
    size_t large_bytes;
    size_t idle_low_bytes; /* the least of idle_bytes() since the last step of decay */
    uint64_t decayed_at_ms;
    unsigned calls; /* how often the store was called so far; atomic */
} store;

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

/* While a tool tracks memory, a block in the store is poisoned, except for its link. */
static void poison(block *idle, size_t bytes) {
    if (toft_tracking()) toft_track_free(idle + 1, bytes - sizeof *idle);
}
static void unpoison(block *idle, size_t bytes) {
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

static block *large_take(unsigned level) {
    toft_lock(&store.lock);
    block *taken = pop(&store.large[level]);
    TOFT_ASSERT(taken == NULL || store.large_bytes >= large_bytes(level));
    if (taken != NULL) store.large_bytes -= large_bytes(level);
    note_low();
    toft_unlock(&store.lock);
    if (taken != NULL) unpoison(taken, large_bytes(level));
    return taken;
}

static void large_give(block *given, unsigned level) {
    size_t bytes = large_bytes(level);
    poison(given, bytes);
    toft_lock(&store.lock);
    size_t kept_bytes = store.large_bytes + store.runs.dirty_bytes;
    bool room = kept_bytes + bytes <= TOFT_STORE_BYTES;
    if (room) {
        push(&store.large[level], given);
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

static void *store_take(size_t bytes, size_t huge_bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES) return runs_take(bytes);
    void *taken = is_kept(bytes) ? large_take(large_level(bytes)) : NULL;
    return taken != NULL ? taken : map(bytes, huge_bytes);
}

static void store_give(void *memory, size_t bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES)
        runs_give(memory, bytes);
    else if (is_kept(bytes))
        large_give(memory, large_level(bytes));
    else
        unmap(memory, bytes);
}

/* Gives memory back until at most keep_bytes are idle; the largest blocks first. */
static void store_trim(size_t keep_bytes) {
    for (unsigned level = large_count; level-- > 0;) {
        block *trimmed;
        while (has_more_idle(keep_bytes) && (trimmed = large_take(level)) != NULL)
            unmap(trimmed, large_bytes(level));
    }
    if (keep_bytes != 0 && !has_more_idle(keep_bytes)) return;
    unmap_empty_blocks(keep_bytes);
    toft_lock(&store.lock);
    discard_runs(keep_bytes);
    toft_unlock(&store.lock);
}

/* Gives back half of what was idle all the time since the last step, if it is time for a step. What
   shelves keep is little: it stays until the thread ends or toft_trim is called. */
static bool decay(uint64_t now_ms) {
    toft_lock(&store.lock);
    TOFT_ASSERT(store.idle_low_bytes <= idle_bytes());
    size_t given_bytes =
        toft_decay_step_locked(&store.decayed_at_ms, now_ms, idle_bytes(), &store.idle_low_bytes);
    size_t keep_bytes = idle_bytes() - given_bytes;
    toft_unlock(&store.lock);
    if (given_bytes != 0) store_trim(keep_bytes);
    return false;
}

/* The store decays within a call of a pool's upstream too, where the others can't be asked. */
static void decay_all(uint64_t now_ms) {
    decay(now_ms);
    toft_decay_everything(now_ms);
}

enum { calls_between_looks = 16 };

static void decay_now_and_then(void) {
    if (__atomic_add_fetch(&store.calls, 1, __ATOMIC_RELAXED) % calls_between_looks == 0)
        decay_all(toft_os_milliseconds());
}

/* --- the shelves --- */

static size_t bytes_on(const toft_shelf *shelf) {
    size_t bytes = 0;
    for (unsigned level = 0; level < toft_shelf_levels; level++)
        for (const block *kept = shelf->blocks[level]; kept != NULL; kept = kept->next)
            bytes += level_bytes(level);
    return bytes;
}

static void clear(toft_shelf *shelf) {
    for (unsigned level = 0; level < toft_shelf_levels; level++) {
        block *cleared;
        while ((cleared = pop(&shelf->blocks[level])) != NULL)
            store_give(cleared, level_bytes(level));
    }
    shelf->bytes = 0;
}

/* Clears the shelf of the calling thread. */
static void clear_own(toft_thread *mine) {
    toft_owned_enter(&mine->shelf_lock);
    toft_shelf cleared = mine->shelf;
    TOFT_ASSERT(cleared.bytes <= TOFT_SHELF_BYTES && bytes_on(&cleared) == cleared.bytes);
    mine->shelf = (toft_shelf){.bytes = 0};
    toft_owned_leave(&mine->shelf_lock);
    clear(&cleared);
}

/* Gives the calling thread a shelf, if it may have one. While a tool tracks memory, none has: only
   the store poisons what is free. */
static bool begin_to_shelve(void) {
    if (toft_tracking()) return false;
    toft_thread *mine = toft_thread_open();
    if (mine->open) mine->shelves = true;
    return mine->shelves;
}

/* A thread whose arenas need no more than its shelf has would never come to the store, where much
   may lie idle. So it looks at the clock now and then: each time where there was a pause between
   two looks, as in a server at night, and else more and more seldom, so that it costs nothing. */
static void look_at_clock(toft_thread *mine) {
    enum { pause_ms = 8, most_at_a_time = 255 };
    uint64_t now_ms = toft_os_milliseconds();
    bool was_pause = now_ms - mine->looked_at_ms >= pause_ms;
    unsigned before = was_pause ? 0 : mine->gives_at_a_time;
    mine->gives_at_a_time = before < most_at_a_time ? 2 * before + 1 : before;
    mine->gives_until_look = mine->gives_at_a_time;
    mine->looked_at_ms = now_ms;
    decay_all(now_ms);
}

/* What it has left in the store is idle from now on. */
static void look_soon(toft_thread *mine) {
    if (mine->shelves) mine->gives_until_look = mine->gives_at_a_time = 1;
}

/* What was taken from other threads' shelves, on its way to the store. It waits here until the
   threads' lock is free: a fork takes that lock after the store's. */
static struct {
    toft_os_mutex lock; /* taken before the store's, and before that of the threads */
    toft_shelf shelf;
} stolen;

static void steal(toft_thread *thread) {
    TOFT_ASSERT(bytes_on(&thread->shelf) == thread->shelf.bytes);
    for (unsigned level = 0; level < toft_shelf_levels; level++)
        for (block *one; (one = pop(&thread->shelf.blocks[level])) != NULL;)
            push(&stolen.shelf.blocks[level], one);
    thread->shelf.bytes = 0;
}

/* Moves to the store what all threads have on their shelves, idle threads too. */
static void steal_shelves(void) {
    toft_lock(&stolen.lock);
    toft_threads_steal(steal);
    clear(&stolen.shelf);
    toft_unlock(&stolen.lock);
}

/* --- what happens to the process --- */

static bool before_fork(void) {
    toft_os_lock(&stolen.lock);
    toft_os_lock(&store.lock);
    return true;
}

static void after_fork(void) {
    toft_os_unlock(&store.lock);
    toft_os_unlock(&stolen.lock);
}

static void steal_of_others(toft_thread *thread) {
    if (thread != toft_this_thread) steal(thread);
}

static void in_child(bool shelves_stolen) {
    if (!shelves_stolen) return;
    toft_threads_visit(steal_of_others);
    clear(&stolen.shelf);
}

static void thread_ends(toft_thread *thread) {
    thread->shelves = false;
    clear_own(thread);
}

static void reclaim(void) {
    steal_shelves();
    store_trim(0);
}

/* No other thread is in the library, so that the shelves can be cleared without asking. */
static void unload(void) {
    toft_threads_visit(steal);
    clear(&stolen.shelf);
    store_trim(0);
}

static const toft_listener listener = {
    .before_fork = before_fork,
    .in_child = in_child,
    .after_fork = after_fork,
    .thread_ends = thread_ends,
    .reclaim = reclaim,
    .decay = decay,
    .unload = unload,
};

TOFT_AT_LOAD static void at_load(void) { toft_listen(toft_room_chunk, &listener); }

void toft_recycle_track(const void *memory, size_t bytes) {
    toft_lock(&store.lock);
    toft_track_chunk(memory, bytes);
    toft_unlock(&store.lock);
}

void toft_recycle_forget(const void *memory, size_t bytes) {
    toft_lock(&store.lock);
    toft_forget_chunk(memory, bytes);
    toft_unlock(&store.lock);
}

/* --- the way past the shelf --- */

/* When the system has no memory, what lies idle in the process is given back to it, and the request
   is tried once more; but not for more than the system could ever give. */
void *toft_recycle_take_slow(size_t bytes, size_t huge_bytes) {
    decay_now_and_then();
    void *taken = store_take(bytes, huge_bytes);
    if (TOFT_LIKELY(taken != NULL)) return taken;
    if (bytes > toft_os_mapping_max_bytes()) return NULL;
    toft_trim();
    return store_take(bytes, huge_bytes);
}

void toft_recycle_give_slow(void *memory, size_t bytes) {
    bool may_shelve = toft_this_thread->shelves || begin_to_shelve();
    if (may_shelve && toft_this_thread->gives_until_look == 0) {
        look_at_clock(toft_this_thread);
        toft_recycle_give(memory, bytes);
    } else {
        decay_now_and_then();
        store_give(memory, bytes);
        look_soon(toft_this_thread);
    }
}

/* Within a call of a user's upstream, neither the other rooms nor other threads may be asked. */
void toft_trim(void) {
    if (!toft_reclaim_everything()) store_trim(0);
}
