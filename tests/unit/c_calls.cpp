// SPDX-License-Identifier: MIT
// What C's headers offer to both languages, used from C and from C++: objects by type, the version.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <toft/pool.h>
#include <toft/process.h>
#include <toft/reap.h>

#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/reap_guard.hpp"
#include "unit/c_user.h"

using namespace toft_test;

namespace {

struct alignas(64) wide {
    char bytes[100];
};

bool is_aligned_to_64(const void *p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

// An object and an array of three, which are where they should be, and wholly writable.
void check_and_fill(wide *one, wide *array) {
    REQUIRE(one != nullptr);
    REQUIRE(array != nullptr);
    CHECK(is_aligned_to_64(one));
    CHECK(is_aligned_to_64(array));
    std::memset(one, 1, sizeof *one);
    std::memset(array, 2, 3 * sizeof *array);
}

} // namespace

TEST_CASE("the library has the version of its headers") {
    CHECK(std::string_view(toft_version()) == TOFT_VERSION);
    CHECK(c_user_has_version_of_headers());
}

TEST_CASE("objects and arrays by type in a reap") {
    reap_guard reap;
    std::size_t calls = 0;
    auto count = [&](auto value) { return calls++, value; };
    wide *one = toft_reap_new(count(static_cast<toft_reap *>(reap)), wide);
    wide *array = toft_reap_new_array(count(static_cast<toft_reap *>(reap)), wide, count(3U));
    CHECK(calls == 3);
    check_and_fill(one, array);
    toft_reap_delete(reap, one);
    toft_reap_delete_array(count(static_cast<toft_reap *>(reap)), count(array), count(3U));
    CHECK(calls == 6);
    toft_reap_delete_array(reap, static_cast<wide *>(nullptr), 3U);
    CHECK(toft_reap_new_array(reap, wide, SIZE_MAX / sizeof(wide) + 2) == nullptr);
    std::size_t used_bytes = toft_reap_get_stats(reap).used_bytes; // padding
    CHECK(c_user_makes_by_type_in_reap(reap));
    if (!tracked()) CHECK(toft_reap_get_stats(reap).used_bytes == used_bytes);
}

TEST_CASE("objects and arrays by type in a pool") {
    pool_guard pool;
    std::size_t calls = 0;
    auto count = [&](auto value) { return calls++, value; };
    wide *one = toft_pool_new(count(static_cast<toft_pool *>(pool)), wide);
    wide *array = toft_pool_new_array(count(static_cast<toft_pool *>(pool)), wide, count(3U));
    CHECK(calls == 3);
    check_and_fill(one, array);
    toft_pool_delete(pool, one);
    toft_pool_delete_array(count(static_cast<toft_pool *>(pool)), count(array), count(3U));
    CHECK(calls == 6);
    toft_pool_delete_array(pool, static_cast<wide *>(nullptr), 3U);
    toft_pool_delete(pool, static_cast<wide *>(nullptr));
    CHECK(toft_pool_new_array(pool, wide, SIZE_MAX / sizeof(wide) + 2) == nullptr);
    CHECK(c_user_makes_by_type_in_pool(pool));
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("an array in a pool is freed with count * size, and is NULL where that overflows") {
    pool_guard pool;
    volatile std::size_t enormous = SIZE_MAX, half = SIZE_MAX / 2 + 1;
    // The product would be 0, 8 and 16.
    CHECK(toft_pool_alloc_array(pool, half, 2) == nullptr);
    CHECK(toft_pool_alloc_array(pool, 2, half + 4) == nullptr);
    CHECK(toft_pool_alloc_array_aligned(pool, half + 8, 2, 64) == nullptr);
    CHECK(toft_pool_alloc_array(pool, enormous, enormous) == nullptr);
    CHECK(toft_pool_alloc_array_aligned(pool, 10, 10, 24) == nullptr); // no power of two
    CHECK(live_bytes(pool) == 0);
    for (std::size_t count : {0U, 1U, 10U, 1000U, 100000U}) {
        CAPTURE(count);
        void *array = toft_pool_alloc_array(pool, count, 24);
        void *aligned = toft_pool_alloc_array_aligned(pool, count, 24, 64);
        REQUIRE(array != nullptr);
        REQUIRE(aligned != nullptr);
        CHECK(is_aligned_to_64(aligned));
        std::memset(array, 1, count * 24);
        std::memset(aligned, 2, count * 24);
        toft_pool_free(pool, array, count * 24);
        toft_pool_free_aligned(pool, aligned, count * 24, 64);
        CHECK(live_bytes(pool) == 0);
    }
    CHECK(c_user_makes_arrays_in_pool(pool));
    CHECK(live_bytes(pool) == 0);
}
