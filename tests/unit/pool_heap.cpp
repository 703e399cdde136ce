// SPDX-License-Identifier: MIT
// Units, segments and blocks: what a pool's heap takes first, keeps, and gives back.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t unit_bytes = std::size_t{32} << 10;
constexpr std::size_t segment_bytes = 16 * unit_bytes;

std::uintptr_t segment_of(const char *object) {
    return reinterpret_cast<std::uintptr_t>(object) / segment_bytes;
}
std::uintptr_t unit_of(const char *object) {
    return reinterpret_cast<std::uintptr_t>(object) / unit_bytes % 16;
}

// Full of objects of 1000 bytes, but for holes, which are the units that a condition holds for, and
// for one segment that is free behind its first unit. No cache has what was there.
struct holey_pool {
    pool_guard pool;
    std::function<bool(std::uintptr_t unit)> is_hole;
    std::uintptr_t long_runs = 0; // the segment
    std::size_t in_holes = 0;     // objects

    explicit holey_pool(std::function<bool(std::uintptr_t unit)> condition)
        : is_hole(std::move(condition)) {
        auto objects = fill(pool, 4000, 1000);
        long_runs = segment_of(objects[2000]);
        for (char *object : objects) {
            if (lies_in_hole(object)) in_holes++;
            if (lies_in_hole(object) || (segment_of(object) == long_runs && unit_of(object) != 0))
                toft_pool_free(pool, object, 1000);
        }
        toft_pool_trim(pool);
    }

    bool lies_in_hole(const char *object) const {
        return segment_of(object) != long_runs && is_hole(unit_of(object));
    }

    void check_that_large_ones_take_long_runs() {
        // A cache takes two of them, then three at a time; there are 24.
        for (const char *object : fill(pool, 23, 20000)) CHECK(segment_of(object) == long_runs);
    }
};

} // namespace

TEST_CASE("holes whose memory went back long ago don't hasten the end of what is idle now") {
    if (tracked()) return; // what is freed is kept in quarantine
    pool_guard pool;
    for (char *object : fill(pool, 100000, 1000))
        if (unit_of(object) % 2 == 1) toft_pool_free(pool, object, 1000);
    work_for_seconds(pool, 10);
    REQUIRE(toft_pool_get_stats(pool).idle_bytes <= mebibyte);
    for (int round = 0; round < 3; round++) free_all(pool, fill(pool, 2000, 20000), 20000);
    std::size_t idle = toft_pool_get_stats(pool).idle_bytes;
    REQUIRE(idle >= 16 * mebibyte);
    work_for_seconds(pool, 1); // two steps, each of which gives back half
    CHECK(toft_pool_get_stats(pool).idle_bytes >= idle / 5);
    CHECK(toft_pool_get_stats(pool).idle_bytes <= idle / 3);
}

TEST_CASE("small objects fill holes before they break up what larger ones need") {
    if (tracked()) return;
    holey_pool holey([](std::uintptr_t unit) { return unit % 4 == 2; });
    REQUIRE(holey.in_holes > 500);
    std::size_t before = reserved_bytes(holey.pool);
    for (const char *object : fill(holey.pool, holey.in_holes - 100, 1000))
        CHECK(holey.lies_in_hole(object));
    holey.check_that_large_ones_take_long_runs();
    CHECK(reserved_bytes(holey.pool) == before);
}

TEST_CASE("what needs three units takes a hole of three before a longer one") {
    if (tracked()) return;
    holey_pool holey([](std::uintptr_t unit) { return unit % 6 >= 1 && unit % 6 <= 3; });
    for (const char *object : fill(holey.pool, 100, 5000)) CHECK(holey.lies_in_hole(object));
    holey.check_that_large_ones_take_long_runs();
}

TEST_CASE("a pool gives back the blocks that hold objects, and those that hold none any more") {
    counting_upstream upstream;
    {
        pool_guard pool({.upstream = upstream.c()});
        auto stay = fill(pool, 4000, 1000);
        free_all(pool, fill(pool, 8000, 1000), 1000);
        CHECK(upstream.live_bytes >= 8 * mebibyte);
    }
    CHECK(upstream.live_blocks() == 0);
}
