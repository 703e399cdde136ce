// SPDX-License-Identifier: MIT
// The same with the pointer in a register: what a loop can do that has no allocator in it. No
// allocator is that loop, so it isn't the reference; it stands beside it to be seen.
#include "mapping.hpp"
#include "region_loops.h"
#include "regions.hpp"

#include <cstdint>

namespace toft::lab {
namespace {

mapping memory;
alignas(64) char buffer[TOFT_HOT_OBJECTS * 8];

// Escapes the object without claiming that memory, and with it the pointer, is looked at.
[[gnu::always_inline]] inline void *link_object(void *object, void *last) {
    *static_cast<void **>(object) = last;
    asm volatile("" : : "r"(object));
    return object;
}

[[gnu::always_inline]] inline void *fill_from(char *cur, std::size_t size, std::size_t count) {
    void *last = nullptr;
    for (std::size_t i = 0; i != count; ++i, cur += size) last = link_object(cur, last);
    asm volatile("" : : "r"(last) : "memory");
    return last;
}

void *make(std::size_t capacity_bytes) {
    memory = map_memory(capacity_bytes, huge_pages::wanted);
    return memory.begin;
}
void reset(void *, void *) {}
void release(void *, void *) { unmap_memory(memory); }

template <std::size_t Size>
void *fill(void *region, std::size_t count) {
    return fill_from(static_cast<char *>(region), Size, count);
}

void *fill_mixed(void *region, std::size_t count, const std::uint16_t *sizes) {
    char *cur = static_cast<char *>(region);
    void *last = nullptr;
    for (std::size_t i = 0; i != count; ++i) {
        last = link_object(cur, last);
        cur += (sizes[i] + std::size_t{7}) & ~std::size_t{7};
    }
    asm volatile("" : : "r"(last) : "memory");
    return last;
}

template <std::size_t Size, std::size_t Count>
void *repeat(std::size_t rounds) {
    void *last = nullptr;
    for (std::size_t i = 0; i != rounds; ++i) last = fill_from(buffer, Size, Count);
    return last;
}

} // namespace

const toft_region_loops raw_register_loops = {"",
                                              make,
                                              reset,
                                              release,
                                              fill<8>,
                                              fill<32>,
                                              fill_mixed,
                                              repeat<8, TOFT_HOT_OBJECTS>,
                                              repeat<32, TOFT_REQUEST_OBJECTS>,
                                              repeat<64, 1>};

} // namespace toft::lab
