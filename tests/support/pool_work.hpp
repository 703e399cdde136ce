// SPDX-License-Identifier: MIT
// Objects of one size in a pool, and a program that goes on while time passes, by the fake clock.
#ifndef TOFT_TESTS_SUPPORT_POOL_WORK_HPP
#define TOFT_TESTS_SUPPORT_POOL_WORK_HPP

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"

namespace toft_test {

inline std::vector<char *> fill(toft_pool *pool, std::size_t count, std::size_t size) {
    std::vector<char *> objects(count);
    for (char *&object : objects) {
        object = static_cast<char *>(toft_pool_alloc(pool, size));
        REQUIRE(object != nullptr);
    }
    return objects;
}

inline void free_all(toft_pool *pool, const std::vector<char *> &objects, std::size_t size) {
    for (char *object : objects) toft_pool_free(pool, object, size);
}

inline void fill_and_free(toft_pool *pool, std::size_t bytes, std::size_t size) {
    free_all(pool, fill(pool, bytes / size, size), size);
}

// A program that goes on, but uses little memory.
inline void work_for_seconds(toft_pool *pool, unsigned seconds) {
    for (unsigned i = 0; i < seconds * 10; i++) {
        toft_fake_advance(100);
        fill_and_free(pool, 64 << 10, 48);
    }
}

} // namespace toft_test

#endif
