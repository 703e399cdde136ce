/* SPDX-License-Identifier: MIT */
/* The system's functions whose names libtoft-malloc has too, and passes on. To be included with
 * _GNU_SOURCE defined. */
#ifndef TOFT_MALLOC_DROPIN_NEXT_H
#define TOFT_MALLOC_DROPIN_NEXT_H

#include <dlfcn.h>
#include <stddef.h>

/* NULL where there is none. *known is what was found, or NULL before: the search takes the loader's
   lock. Relaxed: whoever asks first, the answer is the same. */
static inline void *toft_dropin_next(const char *name, void **known) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

#endif
