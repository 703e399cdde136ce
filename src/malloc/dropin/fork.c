/* SPDX-License-Identifier: MIT */
/* glibc's malloc is locked at a fork after the list of streams is, and so must ours be: a thread in
 * fflush(NULL) holds that list while it waits for a stream whose reader waits for malloc. glibc's
 * fork takes the list after all handlers. So it is taken by a handler that runs before ours.
 *
 * A process of one thread forks without it, as without our locks: writing to the list's lock would
 * cost parent and child a page each. */
#include <pthread.h>
#include <stddef.h>

#include "os/os.h"

/* Recursive: fork takes the list once more. Other C libraries don't have them. */
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));
extern void _IO_list_resetlock(void) __attribute__((weak));

/* A signal's handler may fork while the thread that it interrupts forks. Written by the holder of
   the list's lock. */
static unsigned forks_with_lock;

static void lock_streams(void) {
    if (toft_os_is_single_threaded()) return;
    _IO_list_lock();
    forks_with_lock++;
}

static void unlock_streams(void) {
    if (forks_with_lock == 0) return;
    forks_with_lock--;
    _IO_list_unlock();
}

/* Whoever held it doesn't exist in the child; where other threads did, fork has done the same. */
static void reset_streams(void) {
    if (forks_with_lock == 0) return;
    forks_with_lock = 0;
    _IO_list_resetlock();
}

/* Handlers before a fork run in the reverse order: this one comes after process.c's constructor. */
__attribute__((constructor(102))) static void at_load(void) {
    if (_IO_list_lock == NULL || _IO_list_unlock == NULL || _IO_list_resetlock == NULL) return;
    (void)pthread_atfork(lock_streams, unlock_streams, reset_streams);
}
