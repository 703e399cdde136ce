// SPDX-License-Identifier: MIT
// How much small and large objects keep together, and may have.
#include <doctest/doctest.h>

#include <algorithm>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "pool_inside.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// Each kind that has memory of its own: slots, runs and mappings, in turn.
std::size_t most_kept(toft_pool *pool, std::size_t used_bytes) {
    std::size_t most = 0;
    for (int round = 0; round < 3; round++)
        for (std::size_t size : {64u, 200'000u, 1000u, 3'000'000u, 20'000u, 8'000'000u}) {
            fill_and_free(pool, used_bytes, size);
            most = std::max(most, kept_bytes(pool));
        }
    return most;
}

} // namespace

TEST_CASE("phases with objects of many kinds keep little more than they use at once") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    pool_guard pool;
    const std::size_t used = 100 * mebibyte;
    CHECK(most_kept(pool, used) <= used + used / 2);
}

TEST_CASE("phases with little of each kind don't map their memory in each") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    pool_guard pool;
    most_kept(pool, 10 * mebibyte);
    auto calls = [] { return toft_fake_get_counts().calls; };
    const std::size_t before = calls();
    most_kept(pool, 10 * mebibyte);
    CHECK(calls() <= before + 20);
}

TEST_CASE("a limit that is less than what a pool holds already lets it take nothing more") {
    pool_guard pool;
    void *object = toft_pool_alloc(pool, 4 * mebibyte);
    toft_test_set_limit(pool, mebibyte);
    CHECK(toft_pool_alloc(pool, 3 * mebibyte) == nullptr);
    toft_pool_free(pool, object, 4 * mebibyte);
    CHECK(toft_pool_alloc(pool, 100'000) != nullptr);
}

TEST_CASE("what was in use long ago lets phases keep no more") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    pool_guard pool;
    const std::size_t used = 100 * mebibyte;
    const auto small = fill(pool, 2 * used / 1000, 1000);
    fill_and_free(pool, 2 * used, 3'000'000);
    free_all(pool, small, 1000);
    work_for_seconds(pool, 3);
    CHECK(most_kept(pool, used) <= used + used / 2);
}

TEST_CASE("phases keep what the pool's options let stay, of all kinds together") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    const std::size_t used = 100 * mebibyte;
    pool_guard pool({.keep_bytes = 4 * used});
    fill_and_free(pool, used, 1000);
    fill_and_free(pool, used, 3'000'000);
    CHECK(kept_bytes(pool) >= 2 * used - 16 * mebibyte);
}
