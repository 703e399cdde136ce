// SPDX-License-Identifier: MIT
// Moving a pointer, as in raw.cpp, but with the pointer in a register: the most that a loop without
// any allocator can do. No allocator can be such a loop, so this row is shown but is not the
// reference of ratios.
#include "mapping.hpp"
#include "region_loops.h"
#include "regions.hpp"

#include <cstdint>

namespace toft::lab {
namespace {

mapping memory;
alignas(64) char buffer[TOFT_HOT_OBJECTS * 8];

// Lets the object escape. It doesn't claim that memory is read, so the pointer stays in a register.
[[gnu::always_inline]] inline void **link_object(char *object, void **link) {
    *link = object;
    asm volatile("" : : "r"(object));
    return reinterpret_cast<void **>(object);
}

// Ends the chain. The compiler must assume that everything which was written is read.
[[gnu::always_inline]] inline void end_chain(void **link) {
    *link = nullptr;
    asm volatile("" : : "r"(link) : "memory");
}

[[gnu::always_inline]] inline void *fill_from(char *cur, std::size_t size, std::size_t count) {
    void *first = nullptr;
    void **link = &first;
    for (std::size_t i = 0; i != count; ++i, cur += size) link = link_object(cur, link);
    end_chain(link);
    return first;
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
    void *first = nullptr;
    void **link = &first;
    for (std::size_t i = 0; i != count; ++i) {
        link = link_object(cur, link);
        cur += (sizes[i] + std::size_t{7}) & ~std::size_t{7};
    }
    end_chain(link);
    return first;
}

template <std::size_t Size, std::size_t Count>
void *repeat(std::size_t rounds) {
    void *first = nullptr;
    for (std::size_t i = 0; i != rounds; ++i) first = fill_from(buffer, Size, Count);
    return first;
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
