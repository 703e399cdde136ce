/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_LOCK_H
#define TOFT_LAB_RECORD_LOCK_H

#include <pthread.h>
#include <signal.h>

/* The one lock of the recorder: new stack nodes, new threads, and the file. While it is held, no
 * signal comes and no cancellation, so that nothing can jump away with it. */

struct held_lock {
    sigset_t former_signals;
    int former_cancelability;
};

void lock_recorder(struct held_lock *);
void unlock_recorder(const struct held_lock *);

/* In a forked child, where nobody holds it. */
void renew_recorder_lock(void);

#endif
