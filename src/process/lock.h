/* SPDX-License-Identifier: MIT */
/* Locks that know of forks. All of the library's locks are taken through these two functions.
 *
 * The thread that forks holds every lock of the library from before the fork until after it, so
 * that in the child no lock is held and nothing is half changed. Other handlers of the same fork
 * may allocate meanwhile: for the forking thread, and only for it, these functions then do
 * nothing. */
#ifndef TOFT_PROCESS_LOCK_H
#define TOFT_PROCESS_LOCK_H

#include <toft/config.h>

#include "os/os.h"

/* The toft_os_thread_id of the thread that holds all locks for a fork, or 0. It is stored while all
   locks are held, so that only that thread can find its own number here. */
extern uintptr_t toft_forking_thread;

static inline bool toft_this_thread_forks(void) {
    /* Relaxed: a thread compares it with its own number, which it alone stores and removes. */
    uintptr_t forking = __atomic_load_n(&toft_forking_thread, __ATOMIC_RELAXED);
    return TOFT_UNLIKELY(forking != 0) && forking == toft_os_thread_id();
}

static inline void toft_lock(toft_os_mutex *mutex) {
    if (!toft_this_thread_forks()) toft_os_lock(mutex);
}

static inline void toft_unlock(toft_os_mutex *mutex) {
    if (!toft_this_thread_forks()) toft_os_unlock(mutex);
}

#endif
