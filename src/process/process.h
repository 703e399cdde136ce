/* SPDX-License-Identifier: MIT */
/* What happens to the process as a whole is noticed in one place, and told to the rooms above: a
 * fork, the end of a thread, the unloading of the library, and that memory has run out.
 *
 * Nothing is done when the process exits: other threads may still run, and the system takes all
 * memory back. */
#ifndef TOFT_PROCESS_PROCESS_H
#define TOFT_PROCESS_PROCESS_H

#include "process/thread.h"

typedef struct toft_listener {
    /* Takes every lock of the room, with toft_os_lock, and steals its owned locks. False where the
       system has no barrier for that. */
    bool (*before_fork)(void);
    /* In the child, with all locks held. Only the calling thread still exists. What the others kept
       is to be taken over where their owned locks were stolen; otherwise it may be half changed,
       and is to be left alone. */
    void (*in_child)(bool stolen);
    /* Releases what before_fork took. */
    void (*after_fork)(void);
    /* The calling thread ends, and this was its record: what it keeps is to be given up. */
    void (*thread_ends)(toft_thread *thread);
    /* Gives back to the system what nobody uses. No lock is held. */
    void (*reclaim)(void);
    /* Gives back what nobody has used for a while: see base/decay.h. True where there is more to do
       than one call may do: it is soon to be called again. No lock is held. */
    bool (*decay)(uint64_t now_ms);
    /* The library is unloaded: no other thread is in it now or later. Gives back all memory that
       isn't in live objects. */
    void (*unload)(void);
} toft_listener;

/* The rooms that listen; a higher one uses the lower ones, and is told first. */
typedef enum toft_room {
    toft_room_threads, /* this one's own */
    toft_room_chunk,
    toft_room_pool,
    toft_room_count
} toft_room;

/* To be called before the room takes a lock for the first time: by a constructor, so that no fork
   can come between. */
void toft_listen(toft_room room, const toft_listener *listener);

#if defined(__GNUC__) || defined(__clang__)
    #define TOFT_AT_LOAD __attribute__((constructor(101)))
#else
    #define TOFT_AT_LOAD
#endif

/* Registers the handlers of forks, if nobody has. Another handler before a fork that is registered
   later is called sooner, while our locks are free. The load of the library does it, and
   libtoft-malloc when another library starts a thread or registers a handler before that. */
void toft_expect_forks(void);

/* Has all rooms give back what nobody uses. False where that can't be done, as within a call of a
   user's upstream. */
bool toft_reclaim_everything(void);

/* Has all rooms give back what nobody has used for a while, where that can be done and was not in
   the last half second, or where a room has more to do. A room that is called now and then calls
   this, so that what others keep comes back too, though nobody calls them any more. No lock is
   held. */
void toft_decay_everything(uint64_t now_ms);

/* Whether a room has more to do; one thread at a time does it. Relaxed: it is a hint. */
extern bool toft_decay_has_more;
static inline bool toft_decay_goes_on(void) {
    return __atomic_load_n(&toft_decay_has_more, __ATOMIC_RELAXED);
}

#endif
