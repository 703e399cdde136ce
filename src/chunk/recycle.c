/* SPDX-License-Identifier: MIT */
#include "chunk/recycle.h"

#include <assert.h>
#include <stdbool.h>

#include <toft/upstream.h>

#include "base/bits.h"
#include "base/tracking.h"
#include "os/os.h"

typedef struct block {
    struct block *next;
} block;

enum {
    class_count = 9,       /* 64 KiB, 128 KiB, ... 16 MiB */
    shelf_class_count = 5, /* those that fit on a thread's shelf */
};
static_assert(TOFT_RECYCLED_MIN_BYTES << (class_count - 1) == TOFT_RECYCLED_MAX_BYTES, "classes");
static_assert(TOFT_RECYCLED_MIN_BYTES << (shelf_class_count - 1) == TOFT_SHELF_BYTES, "shelf");

/* A thread's own blocks. Small, so that it fits the static thread-local space of a library loaded
 * late. */
typedef struct shelf {
    block *blocks[shelf_class_count];
    size_t bytes;
    enum {
        shelf_new,
        shelf_open,
        shelf_closed
    } state; /* closed: the thread is exiting, or never could */
} shelf;
static _Thread_local shelf my_shelf;

static struct {
    toft_os_mutex lock;
    block *blocks[class_count];
    size_t bytes;
    enum {
        depot_new,
        depot_watched,
        depot_unwatched
    } state; /* whether we hear of exiting threads */
    toft_os_key key;
} depot;

static inline unsigned class_of(size_t bytes) {
    return toft_log2_ceil(toft_max(bytes, TOFT_RECYCLED_MIN_BYTES)) -
           toft_log2_ceil(TOFT_RECYCLED_MIN_BYTES);
}

static inline size_t class_bytes(unsigned class) { return TOFT_RECYCLED_MIN_BYTES << class; }

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

static block *depot_take(unsigned class) {
    toft_os_lock(&depot.lock);
    block *taken = pop(&depot.blocks[class]);
    if (taken != NULL) depot.bytes -= class_bytes(class);
    toft_os_unlock(&depot.lock);
    if (taken != NULL) unpoison(taken, class_bytes(class));
    return taken;
}

static void depot_give(block *given, unsigned class) {
    poison(given, class_bytes(class));
    toft_os_lock(&depot.lock);
    bool room = depot.bytes + class_bytes(class) <= TOFT_DEPOT_BYTES;
    if (room) {
        push(&depot.blocks[class], given);
        depot.bytes += class_bytes(class);
    }
    toft_os_unlock(&depot.lock);
    if (room) return;
    unpoison(given, class_bytes(class));
    toft_os_unmap(given, class_bytes(class));
}

static void depot_trim(void) {
    for (unsigned class = 0; class < class_count; class ++) {
        block *trimmed;
        while ((trimmed = depot_take(class)) != NULL) toft_os_unmap(trimmed, class_bytes(class));
    }
}

/* --- the shelf --- */

static void shelf_clear(void (*clear)(block *, unsigned class)) {
    for (unsigned class = 0; class < shelf_class_count; class ++) {
        block *cleared;
        while ((cleared = pop(&my_shelf.blocks[class])) != NULL) clear(cleared, class);
    }
    my_shelf.bytes = 0;
}

/* Arenas may still be used by what the thread runs after this: they find the shelf closed. */
static void at_thread_exit(void *value) {
    (void)value;
    my_shelf.state = shelf_closed;
    shelf_clear(depot_give);
}

static void before_fork(void) { toft_os_lock(&depot.lock); }
static void after_fork(void) { toft_os_unlock(&depot.lock); }

/* A thread that couldn't tell us of its exit would lose what it keeps: it keeps nothing. Nor does
   any while a tool watches: in the depot it sees who uses what is free. */
static TOFT_COLD bool shelf_open_slow(void) {
    if (toft_tracking()) my_shelf.state = shelf_closed;
    if (my_shelf.state == shelf_closed) return false;
    toft_os_lock(&depot.lock);
    if (depot.state == depot_new) {
        bool watched = toft_os_key_create(&depot.key, at_thread_exit);
        depot.state = watched ? depot_watched : depot_unwatched;
        (void)toft_os_at_fork(before_fork, after_fork);
    }
    bool watched = depot.state == depot_watched;
    toft_os_unlock(&depot.lock);
    if (watched && toft_os_key_set(depot.key, &my_shelf))
        my_shelf.state = shelf_open;
    else
        my_shelf.state = shelf_closed;
    return my_shelf.state == shelf_open;
}

#if defined(__GNUC__) || defined(__clang__)
/* A thread that exits after a shared library is unloaded must not run its code. */
__attribute__((destructor)) static void at_unload(void) {
    toft_trim();
    toft_os_lock(&depot.lock);
    if (depot.state == depot_watched) toft_os_key_delete(depot.key);
    depot.state = depot_unwatched;
    toft_os_unlock(&depot.lock);
}
#endif

/* --- the door --- */

static TOFT_COLD void *take_slow(size_t bytes) {
    void *taken = bytes <= TOFT_RECYCLED_MAX_BYTES ? depot_take(class_of(bytes)) : NULL;
    return taken != NULL ? taken : map(toft_recycle_bytes(bytes));
}

static TOFT_COLD void give_slow(void *memory, size_t bytes) {
    if (bytes <= TOFT_RECYCLED_MAX_BYTES)
        depot_give(memory, class_of(bytes));
    else
        toft_os_unmap(memory, toft_recycle_bytes(bytes));
}

void *toft_recycle_take(size_t bytes) {
    if (TOFT_LIKELY(bytes <= TOFT_SHELF_BYTES)) {
        unsigned class = class_of(bytes);
        block *taken = pop(&my_shelf.blocks[class]);
        if (TOFT_LIKELY(taken != NULL)) {
            my_shelf.bytes -= class_bytes(class);
            return taken;
        }
    }
    return take_slow(bytes);
}

void toft_recycle_give(void *memory, size_t bytes) {
    if (TOFT_LIKELY(bytes <= TOFT_SHELF_BYTES)) {
        unsigned class = class_of(bytes);
        bool fits = my_shelf.bytes + class_bytes(class) <= TOFT_SHELF_BYTES;
        if (TOFT_LIKELY(fits && (my_shelf.state == shelf_open || shelf_open_slow()))) {
            push(&my_shelf.blocks[class], memory);
            my_shelf.bytes += class_bytes(class);
            return;
        }
    }
    give_slow(memory, bytes);
}

static void unmap(block *unmapped, unsigned class) { toft_os_unmap(unmapped, class_bytes(class)); }

void toft_trim(void) {
    shelf_clear(unmap);
    depot_trim();
}
