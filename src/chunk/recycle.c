/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/upstream.h>

#include "base/bits.h"
#include "base/tracking.h"
#include "os/os.h"

typedef toft_recycled block;

enum { level_count = 9 }; /* 64 KiB, 128 KiB, ... 16 MiB */
static_assert(TOFT_RECYCLED_MIN_BYTES << (level_count - 1) == TOFT_RECYCLED_MAX_BYTES, "levels");
static_assert(TOFT_RECYCLED_MIN_BYTES << (toft_shelf_levels - 1) == TOFT_SHELF_BYTES, "shelf");

_Thread_local toft_shelf toft_my_shelf;

static struct {
    toft_os_mutex lock;
    block *blocks[level_count];
    size_t bytes;
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
    toft_os_lock(&depot.lock);
    block *taken = pop(&depot.blocks[level]);
    if (taken != NULL) depot.bytes -= level_bytes(level);
    toft_os_unlock(&depot.lock);
    if (taken != NULL) unpoison(taken, level_bytes(level));
    return taken;
}

static void depot_give(block *given, unsigned level) {
    poison(given, level_bytes(level));
    toft_os_lock(&depot.lock);
    bool room = depot.bytes + level_bytes(level) <= TOFT_DEPOT_BYTES;
    if (room) {
        push(&depot.blocks[level], given);
        depot.bytes += level_bytes(level);
    }
    toft_os_unlock(&depot.lock);
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

/* --- the shelf --- */

static void shelf_clear(void (*clear)(block *, unsigned level)) {
    for (unsigned level = 0; level < toft_shelf_levels; level++) {
        block *cleared;
        while ((cleared = pop(&toft_my_shelf.blocks[level])) != NULL) clear(cleared, level);
    }
    toft_my_shelf.bytes = 0;
}

/* Arenas may still be used by what the thread runs after this: they find the shelf closed. */
static void at_thread_exit(void *value) {
    (void)value;
    toft_my_shelf.state = toft_shelf_closed;
    shelf_clear(depot_give);
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
void *toft_recycle_take_slow(size_t bytes) {
    void *taken = bytes <= TOFT_RECYCLED_MAX_BYTES ? depot_take(toft_recycle_level(bytes)) : NULL;
    if (taken == NULL) taken = map(toft_recycle_bytes(bytes));
    if (taken != NULL) return taken;
    toft_trim();
    return map(toft_recycle_bytes(bytes));
}

void toft_recycle_give_slow(void *memory, size_t bytes) {
    if (toft_my_shelf.state == toft_shelf_new && shelf_open())
        toft_recycle_give(memory, bytes);
    else if (bytes <= TOFT_RECYCLED_MAX_BYTES)
        depot_give(memory, toft_recycle_level(bytes));
    else
        toft_os_unmap(memory, toft_recycle_bytes(bytes));
}

static void unmap(block *unmapped, unsigned level) { toft_os_unmap(unmapped, level_bytes(level)); }

void toft_trim(void) {
    shelf_clear(unmap);
    depot_trim();
}
