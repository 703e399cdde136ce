// SPDX-License-Identifier: MIT
// The yardstick: moving a pointer through memory that is already there, without any check. The
// pointer is kept in memory and not in a register, because every allocator must do that when
// functions which are called meanwhile may read its state.
#include "mapping.hpp"
#include "region_loops.hpp"
#include "regions.hpp"

namespace toft::lab {
namespace {

constexpr std::size_t rounded(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

template <huge_pages Pages>
struct mapped_region {
    mapping memory;
    char *cur;

    explicit mapped_region(std::size_t capacity_bytes)
        : memory(map_memory(capacity_bytes, Pages)),
          cur(memory.begin) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        char *object = cur;
        cur += rounded(size);
        return object;
    }
    void reset(void *) { cur = memory.begin; }
    void release(void *) { unmap_memory(memory); }
};

alignas(64) char buffer[TOFT_HOT_OBJECTS * 8];
static_assert(sizeof buffer >= TOFT_REQUEST_OBJECTS * 32);

struct static_region {
    char *cur = buffer;

    explicit static_region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) {
        char *object = cur;
        cur += rounded(size);
        return object;
    }
    TOFT_LAB_INLINE void reset(void *) { cur = buffer; }
    TOFT_LAB_INLINE void release(void *) {
        // The compiler must assume that the pointer's last value is read, as an allocator's release
        // reads it.
        asm volatile("" : : "r"(cur) : "memory");
    }
};

constexpr toft_region_loops both(toft_region_loops bulk, const toft_region_loops &brief) {
    bulk.hot = brief.hot;
    bulk.request = brief.request;
    bulk.one = brief.one;
    return bulk;
}

} // namespace

const toft_region_loops raw_loops =
    both(loops_of<mapped_region<huge_pages::wanted>>::make(""), loops_of<static_region>::make(""));
const toft_region_loops raw_small_page_loops =
    both(loops_of<mapped_region<huge_pages::unwanted>>::make(""), {});

} // namespace toft::lab
