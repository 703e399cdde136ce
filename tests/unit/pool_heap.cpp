// SPDX-License-Identifier: MIT
// Units, segments and blocks: what a pool's heap takes first, keeps, and gives back.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t unit_bytes = std::size_t{32} << 10;
constexpr std::size_t segment_bytes = 16 * unit_bytes;

std::vector<char *> fill(toft_pool *pool, std::size_t count, std::size_t size) {
    std::vector<char *> objects(count);
    for (char *&object : objects) {
        object = static_cast<char *>(toft_pool_alloc(pool, size));
        REQUIRE(object != nullptr);
    }
    return objects;
}

void free_all(toft_pool *pool, const std::vector<char *> &objects, std::size_t size) {
    for (char *object : objects) toft_pool_free(pool, object, size);
}

std::uintptr_t segment_of(const char *object) {
    return reinterpret_cast<std::uintptr_t>(object) / segment_bytes;
}
std::uintptr_t unit_of(const char *object) {
    return reinterpret_cast<std::uintptr_t>(object) / unit_bytes % 16;
}

// Frees the objects that lie in holes, and all but the first unit of one segment, so that no cache
// has them any more.
template <class Condition>
void free_holes(toft_pool *pool, const std::vector<char *> &objects, std::size_t size,
                const Condition &is_in_hole, std::uintptr_t segment) {
    for (char *object : objects)
        if (is_in_hole(object) || (segment_of(object) == segment && unit_of(object) != 0))
            toft_pool_free(pool, object, size);
    toft_pool_trim(pool);
}

// A program that goes on, but uses little memory.
void work_for_seconds(toft_pool *pool, unsigned seconds) {
    for (unsigned i = 0; i < seconds * 10; i++) {
        toft_fake_advance(100);
        free_all(pool, fill(pool, 2000, 48), 48);
    }
}

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
    pool_guard pool;
    auto objects = fill(pool, 4000, 1000);
    std::uintptr_t long_runs = segment_of(objects[2000]);
    auto in_hole = [&](const char *object) {
        return segment_of(object) != long_runs && unit_of(object) % 4 == 2;
    };
    std::size_t in_holes = 0;
    for (const char *object : objects) in_holes += in_hole(object) ? 1 : 0;
    REQUIRE(in_holes > 500);
    free_holes(pool, objects, 1000, in_hole, long_runs);
    std::size_t before = reserved_bytes(pool);
    for (const char *object : fill(pool, in_holes - 100, 1000)) CHECK(in_hole(object));
    for (const char *object : fill(pool, 24, 20000)) CHECK(segment_of(object) == long_runs);
    CHECK(reserved_bytes(pool) == before);
}

TEST_CASE("what needs three units takes a hole of three before a longer one") {
    if (tracked()) return;
    pool_guard pool;
    auto objects = fill(pool, 4000, 1000);
    std::uintptr_t long_runs = segment_of(objects[2000]);
    auto in_hole = [&](const char *object) {
        std::uintptr_t unit = unit_of(object) % 6;
        return segment_of(object) != long_runs && unit >= 1 && unit <= 3;
    };
    free_holes(pool, objects, 1000, in_hole, long_runs);
    for (const char *object : fill(pool, 100, 5000)) CHECK(in_hole(object));
    for (const char *object : fill(pool, 24, 20000)) CHECK(segment_of(object) == long_runs);
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
