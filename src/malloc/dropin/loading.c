/* SPDX-License-Identifier: MIT */
/* Libraries that the program loads must find malloc's names here too. RTLD_DEEPBIND lets a library
 * look in its own dependencies first, one of which is the C library: its free would then get our
 * objects, and crash, as PHP's extensions do under any preloaded malloc. So dlopen passes the flag
 * over. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "malloc/dropin/settings.h"

#ifdef RTLD_DEEPBIND

typedef void *opener(const char *file, int mode);

/* The system searches $ORIGIN and the like for whom its return address belongs to. The call is
   the last thing here, and the file is always optimised, so that it is a jump, and the address is
   that of our caller. What it calls is searched for by the first call: the search takes the
   loader's lock and changes what dlerror() says, as dlopen itself does. */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
    int without = toft_dropin_keeps_deepbind ? 0 : RTLD_DEEPBIND;
    static void *known; /* atomic; whoever searches first, the answer is the same */
    void *next = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (next == NULL) {
        next = dlsym(RTLD_NEXT, "dlopen");
        __atomic_store_n(&known, next, __ATOMIC_RELAXED);
    }
    return next == NULL ? NULL : (__extension__(opener *) next)(file, mode & ~without);
}

#endif
