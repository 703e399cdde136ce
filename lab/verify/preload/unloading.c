/* SPDX-License-Identifier: MIT */
/* What takes a library away. */
#include "verifier.h"

#include <dlfcn.h>
#include <string.h>

__attribute__((visibility("default"))) int dlclose(void *library) {
    static __typeof__(&dlclose) next;
    if (!next) {
        void *const found = dlsym(RTLD_NEXT, "dlclose");
        memcpy(&next, &found, sizeof found);
    }
    const int result = next(library);
    forget_addresses();
    return result;
}
