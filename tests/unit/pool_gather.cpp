// SPDX-License-Identifier: MIT
// Before a pool's heap grows, what magazines keep is put back into spans. The clock stands still.
#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "support/at_once.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/scatter.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

std::vector<char *> fill_bytes(toft_pool *pool, std::size_t bytes, std::size_t size) {
    std::vector<char *> objects = fill(pool, bytes / size, size);
    for (char *object : objects) std::memset(object, static_cast<int>(size), size);
    return objects;
}

// Frees nine objects of ten, in an order that has nothing to do with their places. Returns the
// others.
std::vector<char *> free_most(toft_pool *pool, std::vector<char *> objects, std::size_t size) {
    scatter(objects, objects.size());
    std::size_t kept = objects.size() / 10;
    for (std::size_t i = kept; i < objects.size(); i++) toft_pool_free(pool, objects[i], size);
    objects.resize(kept);
    return objects;
}

// Fills as much with one size after the other. A tenth of the objects lives until the next size is
// filled, and keeps all spans of its size in use until then.
void change_sizes(toft_pool *pool, std::size_t bytes) {
    std::vector<char *> kept;
    std::size_t kept_size = 0;
    for (std::size_t size : {64u, 256u, 96u, 512u, 32u, 1024u, 128u, 48u}) {
        auto objects = fill_bytes(pool, bytes, size);
        free_all(pool, kept, kept_size);
        kept = free_most(pool, std::move(objects), size);
        kept_size = size;
    }
    free_all(pool, kept, kept_size);
}

} // namespace

TEST_CASE("a heap doesn't grow for the sake of what lies scattered in magazines") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;           // what is freed is kept in quarantine
    pool_guard pool;
    change_sizes(pool, 8 * mebibyte);
    CHECK(toft_pool_get_stats(pool).high_water_bytes <= 20 * mebibyte);
}

TEST_CASE("magazines are kept as long as the heap has free units") {
    if (tracked()) return;
    pool_guard pool;
    free_all(pool, fill_bytes(pool, 8 * mebibyte, 4096), 4096);
    free_all(pool, fill_bytes(pool, mebibyte, 64), 64);
    std::size_t cached_bytes = toft_pool_get_stats(pool).cached_bytes;
    REQUIRE(cached_bytes >= mebibyte / 2);
    auto objects = fill_bytes(pool, mebibyte, 256);
    CHECK(toft_pool_get_stats(pool).cached_bytes >= cached_bytes);
    free_all(pool, objects, 256);
}

TEST_CASE("a limited pool serves one size after the other, each up to the limit") {
    if (tracked()) return;
    pool_guard pool({.limit_bytes = 6 * mebibyte});
    for (std::size_t size : {64u, 512u, 96u, 1024u}) {
        auto objects = fill_bytes(pool, 5 * mebibyte, size);
        free_all(pool, free_most(pool, std::move(objects), size), size);
    }
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("threads gather while others allocate and free") {
    pool_guard pool;
    std::size_t each_bytes = tracked() ? mebibyte / 8 : 2 * mebibyte;
    run_at_once(4, [&](int) { change_sizes(pool, each_bytes); });
    CHECK(live_bytes(pool) == 0);
}
