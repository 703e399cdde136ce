/* SPDX-License-Identifier: MIT */
/* What a fork finds locked: first whatever other libraries lock for it, then the list of streams,
 * then ours. A thread that holds a lock of theirs may be waiting for malloc, so malloc's locks must
 * be the last: the system calls the handlers that come before a fork in the reverse order, so that
 * ours must be registered before all others.
 *
 * glibc's own malloc is locked after the list of streams too: a thread in fflush(NULL) holds that
 * list while it waits for a stream whose reader waits for malloc. glibc's fork takes the list after
 * all handlers. So it is taken by a handler that runs before ours. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

#include "os/os.h"
#include "pool/registry.h"
#include "process/process.h"

/* Recursive: fork takes the list once more. Other C libraries don't have them. */
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));
extern void _IO_list_resetlock(void) __attribute__((weak));

/* A signal's handler may fork while the thread that it interrupts forks. Written by the holder of
   the list's lock. */
static unsigned forks_with_lock;

/* A process of one thread forks without it, as without our locks: writing to the list's lock would
   cost parent and child a page each. */
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

/* --- the system's functions that have these names too --- */

typedef int creation(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                     void *argument);
typedef int creation_of_c11(thrd_t *thread, thrd_start_t start, void *argument);
typedef int registration(void (*before)(void), void (*in_parent)(void), void (*in_child)(void),
                         void *library);

/* NULL where there is none. */
static struct {
    creation *pthread_create;
    creation_of_c11 *thrd_create;
    registration *register_atfork;
} next;

/* All of them at the first call, which the process's first thread makes, since the others are made
   here. A search waits for the loader's lock, whose holder may be a constructor that waits for the
   calling thread; and dlerror() says nothing after it of an error that came before. */
static void find_next(void) {
    static bool found;
    if (found) return;
    next.pthread_create = __extension__(creation *) dlsym(RTLD_NEXT, "pthread_create");
    next.thrd_create = __extension__(creation_of_c11 *) dlsym(RTLD_NEXT, "thrd_create");
    next.register_atfork = __extension__(registration *) dlsym(RTLD_NEXT, "__register_atfork");
    found = true;
}

/* --- registering --- */

static void expect_forks(void) {
    static bool expected;
    find_next();
    if (__atomic_exchange_n(&expected, true, __ATOMIC_RELAXED)) return;
    toft_registry_listen();
    toft_expect_forks();
    if (_IO_list_lock == NULL || _IO_list_unlock == NULL || _IO_list_resetlock == NULL) return;
    (void)pthread_atfork(lock_streams, unlock_streams, reset_streams);
}

__attribute__((constructor(101))) static void at_load(void) { expect_forks(); }

/* --- before that --- */

/* The constructors of the program's libraries run before those of a preloaded one, and may start
   threads: a fork beside them must find our handlers, and their ends must be noticed. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*start)(void *), void *argument) {
    expect_forks();
    return next.pthread_create != NULL ? next.pthread_create(thread, attributes, start, argument)
                                       : EAGAIN;
}

/* glibc's goes past the above. */
__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, thrd_start_t start,
                                                       void *argument) {
    expect_forks();
    return next.thrd_create != NULL ? next.thrd_create(thread, start, argument) : thrd_error;
}

/* --- others' handlers --- */

extern void *__dso_handle __attribute__((visibility("hidden")));

/* What every library's pthread_atfork calls, and ours, which may come before expect_forks. A
   library's handlers are forgotten when its destructors run. Ours stay, since threads may fork
   until the process has ended. */
__attribute__((visibility("default"))) int __register_atfork(void (*before)(void),
                                                             void (*in_parent)(void),
                                                             void (*in_child)(void),
                                                             void *library) {
    bool ours = library == __dso_handle;
    find_next();
    if (!ours) expect_forks();
    return next.register_atfork != NULL
               ? next.register_atfork(before, in_parent, in_child, ours ? NULL : library)
               : ENOMEM;
}
