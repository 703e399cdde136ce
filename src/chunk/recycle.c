/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/process.h>

#include "base/check.h"
#include "chunk/runs.h"
#include "chunk/store.h"
#include "os/os.h"
#include "os/tracking.h"
#include "process/process.h"

static_assert(TOFT_SHELF_BYTES <= TOFT_RUN_MAX_BYTES, "what a thread keeps comes from runs");
static_assert(TOFT_RECYCLED_MIN_BYTES << (toft_shelf_levels - 1) == TOFT_SHELF_BYTES, "shelf");

/* The store decays within a call of a pool's upstream too, where the others can't be asked. */
static void decay_all(uint64_t now_ms) {
    toft_store_decay(now_ms);
    toft_decay_everything(now_ms);
}

enum { calls_between_looks = 16 };
static unsigned calls; /* past the shelves so far; atomic */

static void decay_now_and_then(void) {
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % calls_between_looks == 0)
        decay_all(toft_os_milliseconds());
}

/* --- the shelves --- */

static inline size_t level_bytes(unsigned level) { return TOFT_RECYCLED_MIN_BYTES << level; }

static size_t bytes_on(const toft_shelf *shelf) {
    size_t bytes = 0;
    for (unsigned level = 0; level < toft_shelf_levels; level++)
        for (const toft_recycled *kept = shelf->blocks[level]; kept != NULL; kept = kept->next)
            bytes += level_bytes(level);
    return bytes;
}

static void clear(toft_shelf *shelf) {
    for (unsigned level = 0; level < toft_shelf_levels; level++) {
        toft_recycled *cleared;
        while ((cleared = toft_recycled_pop(&shelf->blocks[level])) != NULL)
            toft_store_give(cleared, level_bytes(level));
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
        for (toft_recycled *one; (one = toft_recycled_pop(&thread->shelf.blocks[level])) != NULL;)
            toft_recycled_push(&stolen.shelf.blocks[level], one);
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
    toft_store_lock();
    return true;
}

static void after_fork(void) {
    toft_store_unlock();
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
    toft_store_trim(0);
}

/* No other thread is in the library, so that the shelves can be cleared without asking. */
static void unload(void) {
    toft_threads_visit(steal);
    clear(&stolen.shelf);
    toft_store_trim(0);
}

static bool decay(uint64_t now_ms) {
    toft_store_decay(now_ms);
    return false;
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

/* --- the way past the shelf --- */

/* When the system has no memory, what lies idle in the process is given back to it, and the request
   is tried once more; but not for more than the system could ever give. */
void *toft_recycle_take_slow(size_t bytes, size_t huge_bytes) {
    decay_now_and_then();
    void *taken = toft_store_take(bytes, huge_bytes);
    if (TOFT_LIKELY(taken != NULL)) return taken;
    if (bytes > toft_os_mapping_max_bytes()) return NULL;
    toft_trim();
    return toft_store_take(bytes, huge_bytes);
}

void toft_recycle_give_slow(void *memory, size_t bytes) {
    bool may_shelve = toft_this_thread->shelves || begin_to_shelve();
    if (may_shelve && toft_this_thread->gives_until_look == 0) {
        look_at_clock(toft_this_thread);
        toft_recycle_give(memory, bytes);
    } else {
        decay_now_and_then();
        toft_store_give(memory, bytes);
        look_soon(toft_this_thread);
    }
}

/* Within a call of a user's upstream, neither the other rooms nor other threads may be asked. */
void toft_trim(void) {
    if (!toft_reclaim_everything()) toft_store_trim(0);
}
