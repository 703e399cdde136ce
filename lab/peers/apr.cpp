// SPDX-License-Identifier: MIT
// Pools of the Apache Portable Runtime.
#include "workloads/arena/region_loops.hpp"

#include <apr_general.h>
#include <apr_pools.h>
#include <cstdlib>

namespace {

struct region {
    apr_pool_t *pool = nullptr;

    explicit region(std::size_t) {
        if (apr_pool_create(&pool, nullptr) != APR_SUCCESS) std::abort();
    }
    TOFT_LAB_INLINE void *allocate(std::size_t size) { return apr_palloc(pool, size); }
    void reset(void *) { apr_pool_clear(pool); }
    void release(void *) { apr_pool_destroy(pool); }
};

const toft_region_loops loops = toft::lab::loops_of<region>::make(PEER_VERSION);

} // namespace

extern "C" [[gnu::visibility("default")]] const toft_region_loops *toft_peer() {
    apr_initialize();
    return &loops;
}
