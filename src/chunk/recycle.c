/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/upstream.h>

#include "base/bits.h"
#include "base/tracking.h"
#include "process/process.h"

typedef toft_recycled block;

enum { level_count = 9 }; /* 64 KiB, 128 KiB, ... 16 MiB */
static_assert(TOFT_RECYCLED_MIN_BYTES << (level_count - 1) == TOFT_RECYCLED_MAX_BYTES, "levels");
static_assert(TOFT_RECYCLED_MIN_BYTES << (toft_shelf_levels - 1) == TOFT_SHELF_BYTES, "shelf");

static struct {
    toft_os_mutex lock;
    block *blocks[level_count];
    size_t bytes;
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

static void *map(size_t bytes) {
    bool huge = bytes >= TOFT_HUGE_PAGE_BYTES;
    return toft_os_map(bytes, huge ? TOFT_HUGE_PAGE_BYTES : toft_os_page_bytes());
}

/* What a tool watches is poisoned while it lies in the depot, all but its link. */
static void poison(block *idle, size_t bytes) {
    if (toft_tracking()) toft_track_free(idle + 1, bytes - sizeof *idle);
}
static void unpoison(block *idle, size_t bytes) {
    if (toft_tracking()) toft_track_allocated(idle + 1, bytes - sizeof *idle);
}

/* --- the depot: every function with its lock free --- */

static block *depot_take(unsigned level) {
    toft_lock(&depot.lock);
    block *taken = pop(&depot.blocks[level]);
    if (taken != NULL) depot.bytes -= level_bytes(level);
    toft_unlock(&depot.lock);
    if (taken != NULL) unpoison(taken, level_bytes(level));
    return taken;
}

static void depot_give(block *given, unsigned level) {
    poison(given, level_bytes(level));
    toft_lock(&depot.lock);
    bool room = depot.bytes + level_bytes(level) <= TOFT_DEPOT_BYTES;
    if (room) {
        push(&depot.blocks[level], given);
        depot.bytes += level_bytes(level);
    }
    toft_unlock(&depot.lock);
    if (room) return;
    unpoison(given, level_bytes(level));
    toft_os_unmap(given, level_bytes(level));
}

static void depot_trim(void) {
    for (unsigned level = 0; level < level_count; level++) {
        block *trimmed;
        while ((trimmed = depot_take(level)) != NULL) toft_os_unmap(trimmed, level_bytes(level));
    }
}

/* --- the shelves --- */

static void clear(toft_shelf *shelf) {
    for (unsigned level = 0; level < toft_shelf_levels; level++) {
        block *cleared;
        while ((cleared = pop(&shelf->blocks[level])) != NULL) depot_give(cleared, level);
    }
    shelf->bytes = 0;
}

/* The calling thread is the owner. */
static void clear_own(toft_thread *mine) {
    toft_owned_enter(&mine->shelf_lock);
    toft_shelf cleared = mine->shelf;
    mine->shelf = (toft_shelf){.bytes = 0};
    toft_owned_leave(&mine->shelf_lock);
    clear(&cleared);
}

/* In the depot a tool sees who uses what is free, and so it keeps everything while one watches. */
static bool begin_to_shelve(void) {
    if (toft_tracking()) return false;
    toft_thread *mine = toft_thread_open();
    if (mine->open) mine->shelves = true;
    return mine->shelves;
}

static void ask(toft_thread *thread) { toft_steal_ask(&thread->shelf_lock); }
static void end(toft_thread *thread) { toft_steal_end(&thread->shelf_lock); }
static void move_to_depot(toft_thread *thread) { clear(&thread->shelf); }

static void wait_and_move_to_depot(toft_thread *thread) {
    toft_steal_wait(&thread->shelf_lock);
    move_to_depot(thread);
}

/* What all threads keep, those too that do nothing. */
static void steal_shelves(void) {
    toft_thieves_lock();
    toft_threads_visit(ask);
    if (toft_steal_begin()) toft_threads_visit(wait_and_move_to_depot);
    toft_threads_visit(end);
    toft_thieves_unlock();
}

/* --- what happens to the process --- */

static bool before_fork(void) {
    toft_os_lock(&depot.lock);
    return true;
}

static void after_fork(void) { toft_os_unlock(&depot.lock); }

static void move_others_to_depot(toft_thread *thread) {
    if (thread != toft_this_thread) move_to_depot(thread);
}

static void in_child(bool stolen) {
    if (stolen) toft_threads_visit(move_others_to_depot);
}

static void thread_ends(toft_thread *thread) {
    thread->shelves = false;
    clear_own(thread);
}

static void reclaim(void) {
    steal_shelves();
    depot_trim();
}

/* No other thread is in the library: there is nobody to ask. */
static void unload(void) {
    toft_threads_visit(move_to_depot);
    depot_trim();
}

static const toft_listener listener = {
    .before_fork = before_fork,
    .in_child = in_child,
    .after_fork = after_fork,
    .thread_ends = thread_ends,
    .reclaim = reclaim,
    .unload = unload,
};

TOFT_AT_LOAD static void at_load(void) { toft_listen(toft_room_chunk, &listener); }

void toft_recycle_track(const void *memory, size_t bytes) {
    toft_lock(&depot.lock);
    toft_track_chunk(memory, bytes);
    toft_unlock(&depot.lock);
}

void toft_recycle_forget(const void *memory, size_t bytes) {
    toft_lock(&depot.lock);
    toft_forget_chunk(memory, bytes);
    toft_unlock(&depot.lock);
}

/* --- the way past the shelf --- */

static void *take_idle_or_map(size_t bytes) {
    void *taken = bytes <= TOFT_RECYCLED_MAX_BYTES ? depot_take(toft_recycle_level(bytes)) : NULL;
    return taken != NULL ? taken : map(toft_recycle_bytes(bytes));
}

/* When the system has no more, it may be for what lies idle here, or elsewhere in the process. */
void *toft_recycle_take_slow(size_t bytes) {
    void *taken = take_idle_or_map(bytes);
    if (TOFT_LIKELY(taken != NULL)) return taken;
    toft_trim();
    return map(toft_recycle_bytes(bytes));
}

void toft_recycle_give_slow(void *memory, size_t bytes) {
    if (!toft_this_thread->shelves && begin_to_shelve())
        toft_recycle_give(memory, bytes);
    else if (bytes <= TOFT_RECYCLED_MAX_BYTES)
        depot_give(memory, toft_recycle_level(bytes));
    else
        toft_os_unmap(memory, toft_recycle_bytes(bytes));
}

/* Within a user's upstream no other room may be asked, nor another thread. */
void toft_trim(void) {
    if (!toft_reclaim_everything()) depot_trim();
}
