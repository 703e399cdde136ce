// SPDX-License-Identifier: MIT
// <toft/reap.h>: a reap whose last object is freed is as new.
#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"
#include "support/scatter.hpp"
#include "support/used.hpp"

using namespace toft_test;

namespace {

// More than a chunk's worth of objects of a few sizes, in the order of their allocation.
std::vector<std::pair<char *, std::size_t>> fill(toft_reap *reap) {
    std::vector<std::pair<char *, std::size_t>> objects;
    for (std::size_t i = 0; i < 20000; i++) {
        std::size_t size = 16 + i % 7 * 24;
        objects.emplace_back(static_cast<char *>(toft_reap_alloc(reap, size, 8)), size);
        REQUIRE(objects.back().first != nullptr);
        std::memset(objects.back().first, 1, size);
    }
    return objects;
}

// How many objects lie behind the one before them.
std::size_t count_rising(const std::vector<std::pair<char *, std::size_t>> &objects) {
    std::size_t rising = 0;
    for (std::size_t i = 1; i < objects.size(); i++)
        if (objects[i].first > objects[i - 1].first) rising++;
    return rising;
}

} // namespace

TEST_CASE("a reap whose last object is freed is as new: what comes next lies in a row") {
    if (tracked()) return;
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    std::size_t calls = 0, rising = 0;
    for (int round = 0; round < 5; round++) {
        auto objects = fill(reap);
        if (round == 0) rising = count_rising(objects);
        if (round == 1) calls = upstream.calls;
        CHECK(count_rising(objects) == rising);
        free_scattered(reap, objects, 0);
        CHECK(toft_reap_get_stats(reap).used_bytes == 0);
        CHECK(toft_reap_get_stats(reap).free_bytes == 0);
    }
    CHECK(upstream.calls == calls);
}

TEST_CASE("the most that a reap held is known after what has made it less") {
    if (tracked()) return;
    auto high_water = [](toft_reap *reap) { return toft_reap_get_stats(reap).high_water_bytes; };
    reap_guard renewed, reset, rewound, shrunk;
    auto objects = fill(renewed);
    const std::size_t most = used(renewed.get());
    free_scattered(renewed, objects, 0);
    CHECK(high_water(renewed) == most);
    fill(reset);
    toft_reap_reset(reset);
    CHECK(high_water(reset) == most);
    toft_reap_savepoint *point = toft_reap_save(rewound);
    fill(rewound);
    const std::size_t with_savepoint = used(rewound.get());
    toft_reap_rewind(rewound, point);
    CHECK(high_water(rewound) == with_savepoint);
    toft_reap_release(rewound);
    CHECK(high_water(rewound) == 0);
    void *object = toft_reap_alloc(shrunk, 100000, 16);
    CHECK(toft_reap_resize(shrunk, object, 100000, 90000, 16) == object);
    CHECK(high_water(shrunk) >= 100000);
}

TEST_CASE("what keeps a reap as it is: an object, large or small, a savepoint, its arena's use") {
    if (tracked()) return;
    auto free_bytes_after = [](toft_reap *reap, std::size_t but) {
        auto objects = fill(reap);
        free_scattered(reap, objects, but);
        for (std::size_t i = objects.size() - but; i < objects.size(); i++)
            CHECK(objects[i].first[objects[i].second - 1] == 1);
        return toft_reap_get_stats(reap).free_bytes;
    };
    reap_guard small, large, saved, shared;
    CHECK(free_bytes_after(small, 1) > 1000000);
    void *object = toft_reap_alloc(large, 100000, 8);
    std::memset(object, 1, 100000);
    CHECK(free_bytes_after(large, 0) > 1000000);
    toft_reap_free(large, object, 100000, 8); // the last one
    CHECK(toft_reap_get_stats(large).free_bytes == 0);
    toft_reap_savepoint *point = toft_reap_save(saved);
    CHECK(free_bytes_after(saved, 0) > 1000000);
    toft_reap_rewind(saved, point);
    CHECK(toft_reap_get_stats(saved).used_bytes == 0);
    const char *text = toft_arena_strdup(toft_reap_arena(shared), "text");
    CHECK(free_bytes_after(shared, 0) > 1000000);
    CHECK(std::strcmp(text, "text") == 0);
}

TEST_CASE(
    "what lies in a reap's arena stays, also where that was first used when the reap was large") {
    if (tracked()) return;
    reap_guard reap;
    auto objects = fill(reap);
    const char *text = toft_arena_strdup(toft_reap_arena(reap), "text");
    free_scattered(reap, objects, 0);
    CHECK(toft_reap_get_stats(reap).used_bytes >= sizeof "text");
    fill(reap);
    CHECK(std::strcmp(text, "text") == 0);
}

TEST_CASE("objects older than a savepoint may be the last ones") {
    if (tracked()) return;
    reap_guard reap;
    auto old = fill(reap);
    toft_reap_savepoint *outer = toft_reap_save(reap);
    auto between = fill(reap);
    toft_reap_savepoint *inner = toft_reap_save(reap);
    free_scattered(reap, between, 100);
    free_scattered(reap, old, 0);
    (void)inner;
    toft_reap_rewind(reap, outer);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);
    auto again = fill(reap);
    free_scattered(reap, again, 0);
    CHECK(toft_reap_get_stats(reap).free_bytes == 0);
}
