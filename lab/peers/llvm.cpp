// SPDX-License-Identifier: MIT
// LLVM's BumpPtrAllocator.
#include "workloads/arena/region_loops.hpp"

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/Allocator.h>

namespace {

struct region {
    llvm::BumpPtrAllocator allocator;

    explicit region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        return allocator.Allocate(size, llvm::Align(8));
    }
    void reset(void *) { allocator.Reset(); }
    void release(void *) {}
};

const toft_region_loops loops = toft::lab::loops_of<region>::make(LLVM_VERSION_STRING);

} // namespace

extern "C" [[gnu::visibility("default")]] const toft_region_loops *toft_peer() { return &loops; }
