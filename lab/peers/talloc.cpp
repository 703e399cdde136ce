// SPDX-License-Identifier: MIT
// talloc, with a pool that is told beforehand how much it must hold: its quickest form. Each object
// has a header of its own, which is what lets talloc free any of them, with all its children.
#include "workloads/arena/region_loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <talloc.h>

namespace {

// What talloc adds to a small object: its header and the rounding to 16 bytes.
constexpr std::size_t overhead_bytes = 112;
constexpr std::size_t smallest_object_bytes = 8;

// talloc refuses larger blocks. Objects that don't fit into the pool then come from malloc.
constexpr std::size_t largest_pool_bytes = std::size_t{255} << 20;

struct region {
    void *pool;

    // The number of objects isn't told, so this assumes as many as there can be.
    explicit region(std::size_t capacity_bytes)
        : pool(talloc_pool(
              nullptr,
              std::min(largest_pool_bytes,
                       capacity_bytes + capacity_bytes / smallest_object_bytes * overhead_bytes))) {
        if (!pool) std::abort();
    }
    TOFT_LAB_INLINE void *allocate(std::size_t size) { return talloc_size(pool, size); }
    void reset(void *) { talloc_free_children(pool); }
    void release(void *) { talloc_free(pool); }
};

const toft_region_loops loops = toft::lab::loops_of<region>::make(PEER_VERSION);

} // namespace

extern "C" [[gnu::visibility("default")]] const toft_region_loops *toft_peer() { return &loops; }
