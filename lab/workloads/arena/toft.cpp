// SPDX-License-Identifier: MIT
// Toft's arena, by its C interface.
#include "region_loops.hpp"
#include "regions.hpp"

#include <toft/arena.h>

namespace toft::lab {
namespace {

struct region {
    toft_arena arena = TOFT_ARENA_INIT;

    explicit region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) { return toft_arena_alloc(&arena, size, 8); }
    void reset(void *) { toft_arena_reset(&arena); }
    void release(void *) { toft_arena_release(&arena); }
};

} // namespace

const toft_region_loops toft_loops = loops_of<region>::make(TOFT_VERSION);

} // namespace toft::lab
