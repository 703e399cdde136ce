// SPDX-License-Identifier: MIT
// mimalloc's heaps used as regions: each object could be freed alone, and all go at once.
#include "workloads/arena/region_loops.hpp"

#include <mimalloc.h>
#include <string>

namespace {

struct region {
    mi_heap_t *heap = mi_heap_new();

    explicit region(std::size_t) {}
    // The suite's objects have 256 bytes at most.
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        static_assert(MI_SMALL_SIZE_MAX >= 256);
        return mi_heap_malloc_small(heap, size);
    }
    void reset(void *) {
        mi_heap_destroy(heap);
        heap = mi_heap_new();
    }
    void release(void *) { mi_heap_destroy(heap); }
};

} // namespace

extern "C" [[gnu::visibility("default")]] const toft_region_loops *toft_peer() {
    static const std::string version = std::to_string(mi_version());
    static const toft_region_loops loops = toft::lab::loops_of<region>::make(version.c_str());
    return &loops;
}
