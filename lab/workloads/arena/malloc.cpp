// SPDX-License-Identifier: MIT
// malloc, and a free for every object, beginning with the oldest.
#include "region_loops.hpp"
#include "regions.hpp"

#include <cstdlib>

namespace toft::lab {
namespace {

struct region {
    explicit region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) { return std::malloc(size); }
    TOFT_LAB_INLINE void reset(void *first) {
        while (first) {
            void *next = *static_cast<void **>(first);
            std::free(first);
            first = next;
        }
    }
    TOFT_LAB_INLINE void release(void *first) { reset(first); }
};

} // namespace

const toft_region_loops malloc_loops = loops_of<region>::make("");

} // namespace toft::lab
