// SPDX-License-Identifier: MIT
// glibc's obstack, with its default chunks from malloc.
#include "region_loops.hpp"
#include "regions.hpp"

#include <cstdlib>
#include <obstack.h>

#define obstack_chunk_alloc std::malloc
#define obstack_chunk_free std::free

namespace toft::lab {
namespace {

struct region {
    obstack stack;
    void *bottom;

    explicit region(std::size_t) {
        obstack_init(&stack);
        obstack_alignment_mask(&stack) = 7;
        bottom = obstack_alloc(&stack, 0); // freeing this object later frees all after it
    }
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        return obstack_alloc(&stack, static_cast<int>(size));
    }
    void reset(void *) {
        obstack_free(&stack, bottom);
        bottom = obstack_alloc(&stack, 0);
    }
    void release(void *) { obstack_free(&stack, nullptr); }
};

} // namespace

const toft_region_loops obstack_loops = loops_of<region>::make("");

} // namespace toft::lab
