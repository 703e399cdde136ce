// SPDX-License-Identifier: MIT
// protobuf's Arena, for plain bytes.
#include "workloads/arena/region_loops.hpp"

#include <google/protobuf/arena.h>

namespace {

struct region {
    google::protobuf::Arena arena;

    explicit region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        return google::protobuf::Arena::CreateArray<char>(&arena, size);
    }
    void reset(void *) { arena.Reset(); }
    void release(void *) {}
};

const toft_region_loops loops = toft::lab::loops_of<region>::make(PEER_VERSION);

} // namespace

extern "C" [[gnu::visibility("default")]] const toft_region_loops *toft_peer() { return &loops; }
