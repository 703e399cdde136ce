// SPDX-License-Identifier: MIT
#pragma once

#include "region_loops.h"

#include <cstddef>
#include <cstdint>
#include <new>

// The loops for any allocator that is written as a class:
//
//     struct region {
//         explicit region(std::size_t capacity_bytes);
//         void *allocate(std::size_t size); // aligned to 8; inlined, size is mostly a constant
//         void reset(void *first);          // frees all objects; first heads their chain
//         void release(void *first);        // frees what its destructor, run next, doesn't
//     };
namespace toft::lab {

#define TOFT_LAB_INLINE [[gnu::always_inline]] inline

// Writes the object's address to the place where the object before it keeps its link, and returns
// the place where this object keeps its own. The compiler must assume that the object, and all
// memory, is read.
TOFT_LAB_INLINE void **link_object(void *object, void **link) {
    *link = object;
    asm volatile("" : : "r"(object) : "memory");
    return static_cast<void **>(object);
}

// The last object has no next one. Without the assumption that all memory is read, the compiler
// would leave this store out before a free, and only then.
TOFT_LAB_INLINE void end_chain(void **link) {
    *link = nullptr;
    asm volatile("" : : "r"(link) : "memory");
}

// The compiler must assume that other code knows the region. Otherwise it would keep the pointer of
// an allocator in a register when it sees all of that allocator's code, and only then.
TOFT_LAB_INLINE void publish(void *region) { asm volatile("" : : "r"(region) : "memory"); }

template <class Region>
class loops_of {
  public:
    static constexpr toft_region_loops make(const char *version) {
        return {version,  make_region, reset, release, fill<8>,
                fill<32>, fill_mixed,  hot,   request, one};
    }

  private:
    static void *make_region(std::size_t capacity_bytes) {
        alignas(Region) static unsigned char storage[sizeof(Region)];
        return new (storage) Region(capacity_bytes);
    }
    static void reset(void *region, void *first) { static_cast<Region *>(region)->reset(first); }
    static void release(void *region, void *first) {
        static_cast<Region *>(region)->release(first);
        static_cast<Region *>(region)->~Region();
    }

    template <std::size_t Size>
    TOFT_LAB_INLINE static void *fill_region(Region &region, std::size_t count) {
        void *first = nullptr;
        void **link = &first;
        for (std::size_t i = 0; i != count; ++i) link = link_object(region.allocate(Size), link);
        end_chain(link);
        return first;
    }

    template <std::size_t Size>
    static void *fill(void *region, std::size_t count) {
        return fill_region<Size>(*static_cast<Region *>(region), count);
    }

    static void *fill_mixed(void *region, std::size_t count, const std::uint16_t *sizes) {
        void *first = nullptr;
        void **link = &first;
        for (std::size_t i = 0; i != count; ++i)
            link = link_object(static_cast<Region *>(region)->allocate(sizes[i]), link);
        end_chain(link);
        return first;
    }

    static void *hot(std::size_t rounds) {
        Region region(TOFT_HOT_OBJECTS * 8);
        publish(&region);
        void *first = nullptr;
        for (std::size_t i = 0; i != rounds; ++i) {
            first = fill_region<8>(region, TOFT_HOT_OBJECTS);
            region.reset(first);
        }
        region.release(nullptr);
        return first;
    }

    template <std::size_t Size, std::size_t Count>
    static void *short_lives(std::size_t rounds) {
        void *first = nullptr;
        for (std::size_t i = 0; i != rounds; ++i) {
            Region region(Size * Count);
            publish(&region);
            first = fill_region<Size>(region, Count);
            region.release(first);
        }
        return first;
    }
    static void *request(std::size_t rounds) {
        return short_lives<32, TOFT_REQUEST_OBJECTS>(rounds);
    }
    static void *one(std::size_t rounds) { return short_lives<64, 1>(rounds); }
};

} // namespace toft::lab
