// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

// What the suite's programs do to their objects.
namespace toft::lab {

// Writes 4 bytes, which every allocation must have room for, in a way that the compiler can't
// remove.
inline void stamp(void *object, std::uint32_t value) {
    std::memcpy(object, &value, sizeof value);
    asm volatile("" : : "r"(object) : "memory");
}
inline bool has_stamp(const void *object, std::uint32_t value) {
    return std::memcmp(object, &value, sizeof value) == 0;
}

// The same in each of an object's pages, since a buffer is there to be filled.
inline void stamp_pages(void *object, std::uint32_t size) {
    for (std::size_t at = 0; at < size; at += 4096) stamp(static_cast<char *>(object) + at, size);
}

constexpr std::size_t live_objects = 10'000;

// Random sizes from 8 to 512 bytes, each as likely as any other, and an order in which the objects
// are freed. Every subject gets the same plan.
struct freeing_plan {
    std::vector<std::uint16_t> sizes;
    std::vector<std::uint32_t> order;

    freeing_plan(unsigned seed, bool shuffled) : sizes(live_objects), order(live_objects) {
        std::minstd_rand random(seed + 1);
        for (std::uint16_t &size : sizes) size = static_cast<std::uint16_t>(8 + random() % 505);
        std::iota(order.begin(), order.end(), 0U);
        if (shuffled) std::shuffle(order.begin(), order.end(), random);
    }
};

} // namespace toft::lab
