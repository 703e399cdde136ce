// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace toft::lab {

// Bytes of the objects that live now, as the program asked for them. Only a counted run counts
// them, since that isn't timed; in any other run this stays 0.
inline std::atomic<std::uint64_t> live_bytes = 0;

// A door of the suite `aged` (see programs.hpp) that counts them.
template <class Door>
struct counting_door : Door {
    void *allocate(std::size_t size) {
        live_bytes.fetch_add(size, std::memory_order_relaxed);
        return Door::allocate(size);
    }
    void free(void *object, std::size_t size) {
        live_bytes.fetch_sub(size, std::memory_order_relaxed);
        Door::free(object, size);
    }
    void *resize(void *object, std::size_t old_size, std::size_t size) {
        live_bytes.fetch_add(size - old_size, std::memory_order_relaxed);
        return Door::resize(object, old_size, size);
    }
};

} // namespace toft::lab
