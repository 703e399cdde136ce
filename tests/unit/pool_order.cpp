// SPDX-License-Identifier: MIT
// Reuse in the order of memory, in a pool too large for a core's cache.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "support/at_once.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/scatter.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t object_bytes = 64;

std::vector<char *> fill(toft_pool *pool, std::size_t count) {
    return toft_test::fill(pool, count, object_bytes);
}

void free_scattered(toft_pool *pool, std::vector<char *> objects) {
    scatter(objects, objects.size());
    free_all(pool, objects, object_bytes);
}

// The share of objects that lie near to the one before them.
double share_near(const std::vector<char *> &objects) {
    std::size_t near = 0;
    for (std::size_t i = 1; i < objects.size(); i++)
        if (std::abs(objects[i] - objects[i - 1]) <= 4096) near++;
    return static_cast<double>(near) / static_cast<double>(objects.size() - 1);
}

// The share of objects that lie right behind the one before them.
double share_behind(const std::vector<char *> &objects) {
    std::size_t behind = 0;
    for (std::size_t i = 1; i < objects.size(); i++)
        if (objects[i] == objects[i - 1] + object_bytes) behind++;
    return static_cast<double>(behind) / static_cast<double>(objects.size() - 1);
}

// As trees are freed: what is below a node goes before it.
void free_leaves_first(toft_pool *pool, const std::vector<char *> &objects) {
    constexpr std::size_t family = 4;
    for (std::size_t i = 0; i < objects.size(); i += family)
        for (std::size_t member = family; member-- > 0;)
            toft_pool_free(pool, objects[i + member], object_bytes);
}

// The least that a share comes to in a pool that is filled again and again after all that was in it
// has been freed in no order.
template <class Share>
double least_share_when_refilled(std::size_t count, const Share &share) {
    pool_guard pool;
    auto objects = fill(pool, count);
    double least = 1;
    for (int round = 0; round < 5; round++) {
        free_scattered(pool, std::exchange(objects, {}));
        objects = fill(pool, count);
        least = std::min(least, share(objects));
    }
    free_scattered(pool, objects);
    return least;
}

} // namespace

TEST_CASE("what was freed in no order from a large pool is handed out in the order of memory") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;           // what is freed is kept in quarantine
    CHECK(least_share_when_refilled(200000, share_near) > 0.95);
}

TEST_CASE("where all of a large pool comes and goes, no slot stays behind in another order") {
    if (tracked()) return;
    CHECK(least_share_when_refilled(50000, share_behind) > 0.98);
}

TEST_CASE("small documents that come and go beside many other objects stay at hand") {
    if (tracked()) return;
    constexpr std::size_t count = 600;
    pool_guard pool;
    auto others = fill(pool, 100000);
    for (int round = 0; round < 10; round++) {
        free_scattered(pool, fill(pool, count));
        CHECK(toft_pool_get_stats(pool).cached_bytes >= count * object_bytes);
    }
    free_scattered(pool, others);
}

TEST_CASE("documents that go in no order of their objects leave those of later ones neighbours") {
    if (tracked()) return;
    constexpr std::size_t document = 1000;
    pool_guard pool;
    auto objects = fill(pool, 100 * document);
    for (int round = 0; round < 3; round++)
        for (auto oldest = objects.begin(); oldest != objects.end(); oldest += document) {
            free_scattered(pool, std::vector<char *>(oldest, oldest + document));
            auto newest = fill(pool, document);
            std::copy(newest.begin(), newest.end(), oldest);
        }
    CHECK(share_behind(objects) > 0.9);
    free_scattered(pool, objects);
}

TEST_CASE("a large document that goes in small disorder is handed out in order again") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    constexpr std::size_t family = 300;
    pool_guard pool;
    auto objects = fill(pool, 400 * family);
    for (int round = 0; round < 10; round++) {
        for (auto first = objects.begin(); first != objects.end(); first += family)
            free_scattered(pool, std::vector<char *>(first, first + family));
        objects = fill(pool, objects.size());
    }
    CHECK(share_behind(objects) > 0.99);
    free_scattered(pool, objects);
}

TEST_CASE("a thread that frees what others made keeps its own documents in order") {
    if (tracked()) return;
    constexpr std::size_t count = 100000;
    pool_guard pool;
    auto of_others = fill(pool, 2 * count);
    run_at_once(1, [&](int) {
        free_scattered(pool, of_others);
        auto objects = fill(pool, count);
        for (int round = 0; round < 5; round++) {
            free_scattered(pool, std::exchange(objects, {}));
            objects = fill(pool, count);
            CHECK(share_near(objects) > 0.95);
        }
        free_scattered(pool, objects);
    });
}

TEST_CASE("a thread with few objects keeps their slots, whatever threads before it had") {
    if (tracked()) return;
    constexpr std::size_t count = 10000;
    pool_guard pool;
    std::vector<char *> many;
    run_at_once(1, [&](int) { many = fill(pool, 100000); });
    run_at_once(1, [&](int) {
        free_scattered(pool, fill(pool, count));
        CHECK(toft_pool_get_stats(pool).cached_bytes >= count * object_bytes * 9 / 10);
    });
    free_scattered(pool, many);
}

TEST_CASE("threads with few objects each keep to their own slots, in a large pool too") {
    if (tracked()) return;
    constexpr int threads = 8;
    constexpr std::size_t count = 10000;
    pool_guard pool;
    std::vector<std::size_t> again(threads);
    run_at_once(threads, [&](int t) {
        auto objects = fill(pool, count);
        std::vector<char *> own = objects;
        std::sort(own.begin(), own.end());
        for (int round = 0; round < 5; round++) {
            free_scattered(pool, std::exchange(objects, {}));
            objects = fill(pool, count);
        }
        again[static_cast<std::size_t>(t)] =
            static_cast<std::size_t>(std::count_if(objects.begin(), objects.end(), [&](char *p) {
                return std::binary_search(own.begin(), own.end(), p);
            }));
        free_scattered(pool, objects);
    });
    for (std::size_t slots : again) CHECK(slots > count * 95 / 100);
}

TEST_CASE("objects of many sizes, freed in the order of memory, stay at hand") {
    if (tracked()) return;
    pool_guard pool;
    std::vector<std::pair<void *, std::size_t>> objects(20000);
    for (int round = 0; round < 5; round++) {
        for (std::size_t i = 0; i < objects.size(); i++) {
            objects[i].second = 8 + i * 37 % 497;
            objects[i].first = toft_pool_alloc(pool, objects[i].second);
            REQUIRE(objects[i].first != nullptr);
        }
        for (auto &[object, size] : objects) toft_pool_free(pool, object, size);
    }
    CHECK(toft_pool_get_stats(pool).cached_bytes >= std::size_t{2} << 20);
}

TEST_CASE("what was freed nearly in order is handed out in order, round after round") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    pool_guard pool;
    auto objects = fill(pool, 100000);
    for (int round = 0; round < 20; round++) {
        free_leaves_first(pool, std::exchange(objects, {}));
        objects = fill(pool, 100000);
    }
    CHECK(share_behind(objects) > 0.9);
    free_leaves_first(pool, objects);
}
