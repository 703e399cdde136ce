// SPDX-License-Identifier: MIT
// What a file with exceptions and one without both do, so that they share inline functions.
#ifndef TOFT_TESTS_PACKAGE_QUIET_HPP
#define TOFT_TESTS_PACKAGE_QUIET_HPP

#include <new>

#include <toft/pooled.hpp>
#include <toft/toft.hpp>

inline void take(toft::arena &arena, std::size_t bytes) { (void)arena.allocate(bytes); }
inline void take(toft::pool_ref pool, std::size_t bytes) { (void)pool.allocate(bytes); }
inline void take_vector(toft::arena &arena, std::size_t bytes) {
    toft::vector<char> vector(arena);
    vector.reserve(bytes);
}

struct node : toft::pooled<node> {
    char bytes[1 << 16];
};

void take_quietly(toft::arena &arena, toft::pool_ref pool); // of quiet.cpp, which has no exceptions

#endif
