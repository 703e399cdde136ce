/* SPDX-License-Identifier: MIT */
/* The way "limited": a library has no memory at one place after another, and says so each time. */
#ifndef TOFT_EXAMPLES_ADAPT_LIMITED_H
#define TOFT_EXAMPLES_ADAPT_LIMITED_H

#include "run.h"

/* Calls the function with pools that may take more and more, until it succeeds in one. Returns the
   status of the program. */
static inline int run_limited(bool (*succeeds)(toft_pool *pool)) {
    unsigned failures = 0;
    bool succeeded = false;
    for (size_t limit_bytes = 1 << 15; !succeeded; limit_bytes += limit_bytes / 4) {
        toft_pool *pool = toft_pool_create(&(toft_pool_options){.limit_bytes = limit_bytes});
        if (pool == NULL) return 1;
        succeeded = succeeds(pool);
        failures += succeeded ? 0 : 1;
        if (toft_pool_get_stats(pool).live_bytes != 0) puts("something is left");
        toft_pool_destroy(pool);
    }
    print_whether("fails under limits, and then succeeds", failures > 0);
    return 0;
}

#endif
