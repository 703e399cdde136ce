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
    bool open;                 /* it may keep things: we are called when it ends */
    bool shelves;              /* it keeps chunks: it is open, and no tool tracks memory */
    unsigned gives_until_look; /* chunks to shelve before it looks at the clock; 0: or keeps none */
    unsigned gives_at_a_time;  /* how many that was after its last look */
    uint64_t looked_at_ms;     /* when that was */
    struct toft_cache *caches; /* of pools, that it owns: see pool/links.h */
    struct toft_thread *next;  /* the next open record, or the next free one */
    struct toft_thread **link; /* the pointer that points here, where it is open */
} toft_thread;

/* The calling thread's record. Threads without one of their own share a record that isn't open: it
   is never written, and keeps nothing. */
extern _Thread_local toft_thread *toft_this_thread;

/* Gives the calling thread an open record where it can have one, and returns its record. That one
   isn't open where the thread is ending, where we would not be called at its end, and where there
   is no memory. */
toft_thread *toft_thread_open_slow(void);

static inline toft_thread *toft_thread_open(void) {
    toft_thread *mine = toft_this_thread;
    return TOFT_LIKELY(mine->open) ? mine : toft_thread_open_slow();
}

/* Calls visit with each open record, under a lock that keeps them from ending. */
void toft_threads_visit(void (*visit)(toft_thread *thread));
/* The same, while the shelves of all are locked; nothing where the system can't do that. Visit
   takes no lock. */
void toft_threads_steal(void (*visit)(toft_thread *thread));

/* Called before and after each call of a user's upstream, which may itself be a pool or an arena.
   Locks are held during such a call, so that nothing is reclaimed from other threads; and a thread
   that has no record gets none meanwhile. What the first returns is for the second. */
toft_thread *toft_upstream_enter(void);
void toft_upstream_leave(toft_thread *before);

/* Whether the calling thread may wait for others. Within a call of an upstream it may hold locks
   that they need to go on; at a fork it holds all locks; and while it ends, its record no longer
   says whether it is in a call of an upstream. */
static inline bool toft_thread_may_steal(void) {
    const toft_thread *mine = toft_thread_open();
    return mine->open && mine->in_upstream == 0 && !toft_this_thread_forks();
}

#endif
