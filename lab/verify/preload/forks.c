/* SPDX-License-Identifier: MIT */
/* Nothing is locked over a fork: other libraries' handlers call the heap before it and behind it.
 * What the child finds of other threads' work is given up there. */
#include "record/preload/next_function.h"
#include "verifier.h"

#include <errno.h>
#include <pthread.h>

typedef int registration(void (*before)(void), void (*in_parent)(void), void (*in_child)(void),
                         void *library);

registration __register_atfork;

extern void *__dso_handle __attribute__((visibility("hidden")));

bool expect_forks(void) {
    static bool is_expected;
    if (is_expected) return true;
    is_expected = pthread_atfork(NULL, NULL, renew_verifier) == 0; /* it calls what is below */
    return is_expected;
}

/* What every library's pthread_atfork() calls, and ours. In a child the handlers are called in the
 * order in which they came: ours is the first, though the constructors of the program's libraries
 * run before those of a preloaded one. It stays when this library's destructors have run. */
__attribute__((visibility("default"))) int __register_atfork(void (*before)(void),
                                                             void (*in_parent)(void),
                                                             void (*in_child)(void),
                                                             void *library) {
    const bool is_ours = library == __dso_handle;
    if (!is_ours) (void)expect_forks();
    registration *next;
    find_next("__register_atfork", (void *)&next);
    return next ? next(before, in_parent, in_child, is_ours ? NULL : library) : ENOMEM;
}
