// SPDX-License-Identifier: MIT
// std::pmr's monotonic resource in two forms. One takes memory from the heap as it needs it. The
// other has one buffer that is large enough: a large one from the heap, or a small one within the
// object itself for the short lives.
#include "mapping.hpp"
#include "region_loops.hpp"
#include "regions.hpp"
#include "workloads/direct_resource.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory_resource>

namespace toft::lab {
namespace {

using monotonic = direct_resource<std::pmr::monotonic_buffer_resource>;

struct heap_region {
    monotonic resource;

    explicit heap_region(std::size_t) {}
    TOFT_LAB_INLINE void *allocate(std::size_t size) { return resource.take(size, 8); }
    void reset(void *) { resource.release(); }
    void release(void *) {}
};

class buffer_region {
  public:
    explicit buffer_region(std::size_t capacity_bytes)
        : large_(capacity_bytes > small_.size() ? std::malloc(capacity_bytes) : nullptr),
          resource_(large_ ? large_ : small_.data(), large_ ? capacity_bytes : small_.size()) {}
    ~buffer_region() {
        resource_.release();
        std::free(large_);
    }
    buffer_region(const buffer_region &) = delete;
    buffer_region &operator=(const buffer_region &) = delete;

    TOFT_LAB_INLINE void *allocate(std::size_t size) { return resource_.take(size, 8); }
    void reset(void *) { resource_.release(); }
    void release(void *) {}

  private:
    alignas(16) std::array<std::byte, 8192> small_;
    void *large_;
    monotonic resource_;
};

// The same with the chance of huge pages that Toft's chunks have.
class huge_buffer_region {
  public:
    explicit huge_buffer_region(std::size_t capacity_bytes)
        : buffer_(map_memory(capacity_bytes, huge_pages::wanted)),
          resource_(buffer_.begin, capacity_bytes) {}
    ~huge_buffer_region() {
        resource_.release();
        unmap_memory(buffer_);
    }
    huge_buffer_region(const huge_buffer_region &) = delete;
    huge_buffer_region &operator=(const huge_buffer_region &) = delete;

    TOFT_LAB_INLINE void *allocate(std::size_t size) { return resource_.take(size, 8); }
    void reset(void *) { resource_.release(); }
    void release(void *) {}

  private:
    mapping buffer_;
    monotonic resource_;
};

constexpr toft_region_loops only_bulk(toft_region_loops loops) {
    loops.hot = nullptr;
    loops.request = nullptr;
    loops.one = nullptr;
    return loops;
}

} // namespace

const toft_region_loops pmr_loops = loops_of<heap_region>::make("");
const toft_region_loops pmr_buffer_loops = loops_of<buffer_region>::make("");
const toft_region_loops pmr_huge_buffer_loops = only_bulk(loops_of<huge_buffer_region>::make(""));

} // namespace toft::lab
