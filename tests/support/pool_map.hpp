// SPDX-License-Identifier: MIT
// What the pools' map of addresses holds. It depends on where the system puts memory: a pool whose
// memory lies on both sides of a multiple of 16 GiB has two leaves.
#ifndef TOFT_TESTS_SUPPORT_POOL_MAP_HPP
#define TOFT_TESTS_SUPPORT_POOL_MAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <toft/pool.h>

namespace toft_test {

// Three bytes for each unit of memory: one and a half MiB.
constexpr std::size_t map_leaf_bytes = std::size_t{3}
                                       << (TOFT_POOL_MAP_LEAF_BITS - TOFT_POOL_MAP_UNIT_BITS);

inline std::size_t map_leaves() {
    auto is_there = [](const std::uintptr_t &entry) {
        return __atomic_load_n(&entry, __ATOMIC_RELAXED) != 0;
    };
    return static_cast<std::size_t>(
        std::count_if(toft_pool_map, toft_pool_map + TOFT_POOL_MAP_ENTRIES, is_there));
}

} // namespace toft_test

#endif
