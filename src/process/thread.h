/* SPDX-License-Identifier: MIT */
/* What the library knows of each thread: one record a thread, found through one pointer.
 *
 * The pointer is one of the two thread-local variables of the library, 8 bytes each: so little that
 * many libraries with a Toft inside can be loaded late into one process. A record is made when a
 * thread first has something to keep, and goes to a later thread when that one has ended. */
#ifndef TOFT_PROCESS_THREAD_H
#define TOFT_PROCESS_THREAD_H

#include "process/owned_lock.h"

/* Chunks that a thread keeps warm for itself, by level: see chunk/recycle.h. */
enum { toft_shelf_levels = 5 };
typedef struct toft_shelf {
    struct toft_recycled *blocks[toft_shelf_levels];
    size_t bytes;
} toft_shelf;

typedef struct toft_thread {
    toft_owned_lock shelf_lock;
    toft_shelf shelf;
    unsigned in_upstream;      /* how many calls of a user's upstream it is in */
    bool open;                 /* it may keep things: its end will be heard of */
    bool shelves;              /* it keeps chunks: it is open, and no tool watches */
    struct toft_thread *next;  /* of those open, or of those free */
    struct toft_thread **link; /* the pointer that points here, where open */
} toft_thread;

/* The calling thread's record. Until it has one of its own, a record that all such threads share,
   and that nothing is ever kept in: it isn't open. */
extern _Thread_local toft_thread *toft_this_thread;

/* Gives the calling thread an open record where it can have one, and returns what it has: not an
   open one where the thread is ending, where its end would go unheard, and for want of memory. */
toft_thread *toft_thread_open_slow(void);

static inline toft_thread *toft_thread_open(void) {
    toft_thread *mine = toft_this_thread;
    return TOFT_LIKELY(mine->open) ? mine : toft_thread_open_slow();
}

/* Calls visit with each open record, under a lock that keeps them from ending. */
void toft_threads_visit(void (*visit)(toft_thread *thread));

/* Between the two, memory is asked of, or given to, a user's upstream: that may itself be a pool or
   an arena. Nothing is reclaimed from other threads then, since locks are held. */
static inline void toft_upstream_enter(void) {
    if (toft_this_thread->open) toft_this_thread->in_upstream++;
}
static inline void toft_upstream_leave(void) {
    if (toft_this_thread->open) toft_this_thread->in_upstream--;
}

/* Whether the calling thread may wait for others. Within an upstream it may hold locks that they
   need to go on; at a fork it holds all; and while it ends nobody knows what it is in. */
static inline bool toft_thread_may_steal(void) {
    const toft_thread *mine = toft_thread_open();
    return mine->open && mine->in_upstream == 0 && !toft_this_thread_forks();
}

#endif
