/* SPDX-License-Identifier: MIT */
/* Libraries that the program loads must find malloc's names here too. RTLD_DEEPBIND lets a library
 * look in its own dependencies first, one of which is the C library: its free would then get our
 * objects, and crash, as PHP's extensions do under any preloaded malloc. So dlopen passes the flag
 * over. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "malloc/dropin/next.h"
#include "malloc/dropin/settings.h"

#ifdef RTLD_DEEPBIND

typedef void *opener(const char *file, int mode);

/* The system searches $ORIGIN and the like for whom its return address belongs to. The call is
   the last thing here, and the file is always optimised, so that it is a jump, and the address is
   that of our caller. */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode) {
    int without = toft_dropin_keeps_deepbind ? 0 : RTLD_DEEPBIND;
    static void *known;
    opener *open = __extension__(opener *) toft_dropin_next("dlopen", &known);
    return open == NULL ? NULL : open(file, mode & ~without);
}

#endif
