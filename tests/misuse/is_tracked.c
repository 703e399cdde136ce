/* SPDX-License-Identifier: MIT */
/* Says whether a tool that tracks memory was found: no thread has a cache of a pool then. */
#include <stdio.h>

#include <toft/pool.h>

int main(void) {
    toft_pool *pool = toft_pool_shared();
    void *object = toft_pool_alloc(pool, 10);
    puts(toft_pool_get_stats(pool).caches == 0 ? "tracked" : "as ever");
    toft_pool_free(pool, object, 10);
    return 0;
}
