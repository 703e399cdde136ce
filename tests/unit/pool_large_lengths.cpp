// SPDX-License-Identifier: MIT
// Objects beyond what small classes hold: which lengths of memory serve one, and how it grows and
// shrinks where it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_map.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

std::size_t mappings_of_pools() { return toft_fake_get_counts().live_mappings - map_leaves(); }

} // namespace

TEST_CASE("a kept mapping that can't be lengthened stays, and another takes its place") {
    if (tracked()) return;
    pool_guard pool;
    auto swap = [&](std::size_t from, std::size_t to) {
        toft_pool_free(pool, toft_pool_alloc(pool, from), from);
        std::size_t before = kept_bytes(pool), mappings = mappings_of_pools();
        toft_fake_fail(1, false);
        void *longer = toft_pool_alloc(pool, to);
        toft_fake_work();
        REQUIRE(longer != nullptr);
        CHECK(kept_bytes(pool) == before);
        CHECK(mappings_of_pools() == mappings + 1);
        toft_pool_free(pool, longer, to);
    };
    swap(4 * mebibyte, 7 * mebibyte);
    toft_pool_trim(pool);
    CHECK(kept_bytes(pool) == 0);
}

TEST_CASE("no object takes a mapping of more than twice its own") {
    if (tracked()) return;
    pool_guard pool;
    for (std::size_t size = 2 * mebibyte; size < 12 * mebibyte; size += mebibyte / 3) {
        toft_pool_free(pool, toft_pool_alloc(pool, 12 * mebibyte), 12 * mebibyte);
        void *shorter = toft_pool_alloc(pool, size);
        std::size_t usable = toft_pool_usable_bytes(shorter);
        CHECK(usable <= 2 * size);
        // Nor is it too long to stay when the object grows a little.
        CHECK(toft_pool_resize(pool, shorter, size, size + 4096) == shorter);
        CHECK(toft_pool_usable_bytes(shorter) == usable);
        toft_pool_free(pool, shorter, size + 4096);
        toft_pool_trim(pool);
    }
}

// As a sorter's does that grows to two megabytes and is freed, again and again.
TEST_CASE("an object that grows takes the mapping that one before it has grown to") {
    if (tracked()) return;
    pool_guard pool;
    std::size_t after_first = 0;
    for (int round = 0; round < 10; round++) {
        constexpr std::size_t least = mebibyte + 8, most = 2 * mebibyte - 4096;
        void *object = toft_pool_alloc(pool, least);
        object = toft_pool_resize(pool, object, least, most);
        REQUIRE(object != nullptr);
        toft_pool_free(pool, object, most);
        if (round == 0) after_first = kept_bytes(pool);
    }
    CHECK(kept_bytes(pool) == after_first);
}

namespace {

// From below what runs serve, by doubling.
void grow_and_free(toft_pool *pool, std::size_t most) {
    std::size_t size = 32 << 10;
    void *object = toft_pool_alloc(pool, size);
    for (; size < most; size *= 2) object = toft_pool_resize_any(pool, object, 2 * size);
    toft_pool_free_any(pool, object);
}

} // namespace

TEST_CASE("an array that doubles and is freed, again and again, takes no new memory") {
    if (tracked()) return;
    for (std::size_t most : {2u, 4u, 8u, 16u, 64u}) {
        CAPTURE(most);
        pool_guard pool;
        auto wholly = [&] { return toft_pool_get_stats(pool).high_water_bytes; };
        for (int round = 0; round < 4; round++) grow_and_free(pool, most * mebibyte);
        std::size_t calls = toft_fake_get_counts().calls, high = wholly();
        for (int round = 0; round < 20; round++) grow_and_free(pool, most * mebibyte);
        CHECK(toft_fake_get_counts().calls == calls);
        CHECK(wholly() == high);
        CHECK(high <= most * mebibyte + most * mebibyte / 4 + 6 * mebibyte);
    }
}

namespace {

// Objects with other contents at each 4 KiB, which come, grow, shrink and go in no order.
class arrays {
    struct array {
        char *object = nullptr;
        std::size_t size = 0;
        char mark = 0;
    };
    toft_pool *pool_;
    std::vector<array> all_ = std::vector<array>(12);
    std::minstd_rand random_{7};

    std::size_t some(std::size_t most) { return random_() % most; }

    static void write(array &of, std::size_t from) {
        for (std::size_t i = from; i < of.size; i += 4096) of.object[i] = of.mark;
    }
    static bool holds(const array &of, std::size_t size) {
        for (std::size_t i = 0; i < size; i += 4096)
            if (of.object[i] != of.mark) return false;
        return true;
    }

  public:
    explicit arrays(toft_pool *pool) : pool_(pool) {}

    void step() {
        array &of = all_[some(all_.size())];
        if (of.object == nullptr) {
            of.size = (32 << 10) + (some(4) << 20) + 4096 * some(64);
            of.mark = static_cast<char>(1 + some(100));
            of.object = static_cast<char *>(toft_pool_alloc(pool_, of.size));
            write(of, 0);
        } else if (some(5) == 0) {
            free(of);
        } else {
            std::size_t size =
                some(4) == 0 ? of.size / 3 + 1 : std::min(of.size * 2, 24 * mebibyte);
            size = (size + 4095) / 4096 * 4096;
            std::size_t before = of.size;
            of.object = static_cast<char *>(toft_pool_resize(pool_, of.object, of.size, size));
            of.size = size;
            CHECK(holds(of, std::min(before, size)));
            write(of, 0);
        }
    }
    void free(array &of) {
        CHECK(holds(of, of.size));
        toft_pool_free(pool_, of.object, of.size);
        of = {};
    }
    void free_all() {
        for (array &of : all_)
            if (of.object != nullptr) free(of);
    }
};

} // namespace

TEST_CASE("mappings that are cut, and joined again, stay whose they are") {
    if (thread_sanitizer) return; // one thread, and much memory
    std::size_t before = toft_fake_get_counts().live_bytes;
    pool_guard pool;
    arrays some(pool);
    for (int i = 0; i < (fast_build ? 20000 : 4000); i++) {
        some.step();
        if (i % 500 == 0) toft_fake_advance(600);
        if (i % 1900 == 0) toft_pool_trim(pool);
        if (i % 3 == 0) toft_pool_free(pool, toft_pool_alloc(pool, 20000), 20000);
    }
    some.free_all();
    toft_pool_trim(pool);
    auto stats = toft_pool_get_stats(pool);
    CHECK(stats.live_bytes == 0);
    if (!tracked()) CHECK(stats.reserved_bytes <= 4 * mebibyte);
    // Those of segments of 512 KiB at most.
    if (!tracked()) CHECK(stats.upstream_allocations - stats.upstream_frees <= 8);
    CHECK(toft_fake_get_counts().live_bytes <= before + 24 * mebibyte);
}

// As a buffer does that doubles by eighths.
TEST_CASE("an object that grows stays where it is, while nothing lies behind it") {
    if (tracked()) return;
    pool_guard pool;
    for (int round = 0; round < 3; round++) {
        std::size_t size = 40000, moves = 0;
        auto *object = static_cast<unsigned char *>(toft_pool_alloc(pool, size));
        void *other = nullptr;
        for (std::size_t i = 0; i < size; i++) object[i] = static_cast<unsigned char>(i % 251);
        while (size < 900000) {
            std::size_t longer = size + size / 8;
            void *at = round % 2 == 0 ? toft_pool_resize(pool, object, size, longer)
                                      : toft_pool_resize_any(pool, object, longer);
            REQUIRE(at != nullptr);
            moves += at != object;
            object = static_cast<unsigned char *>(at);
            for (; size < longer; size++) object[size] = static_cast<unsigned char>(size % 251);
            // What is freed behind it, and kept for the next of its size, is no obstacle.
            toft_pool_free(pool, other, 50000);
            other = toft_pool_alloc(pool, 50000);
            if (size < 400000) toft_pool_free(pool, std::exchange(other, nullptr), 50000);
        }
        CHECK(moves <= 8); // those since the other one stays
        for (std::size_t i = 0; i < size; i++)
            if (object[i] != i % 251) REQUIRE(i == size);
        toft_pool_free_any(pool, object);
        toft_pool_free(pool, other, 50000);
        CHECK(live_bytes(pool) == 0);
    }
}

// The map tells at most one large object in 32 KiB.
TEST_CASE("an aligned object that shrinks in place reaches as far as the map needs") {
    if (tracked()) return;
    pool_guard pool;
    const std::size_t alignment = 4 * mebibyte;
    std::vector<void *> others;
    for (std::size_t i = 0; i < 200; i++) {
        others.push_back(toft_pool_alloc(pool, 2 * mebibyte + i % 64 * 4096)); // moves the next one
        void *object = toft_pool_alloc_aligned(pool, 6 * mebibyte, alignment);
        object = toft_pool_resize_aligned(pool, object, 6 * mebibyte, 1000, alignment);
        REQUIRE(object != nullptr);
        CHECK(toft_pool_usable_bytes(object) >= 32768);
        toft_pool_free_aligned(pool, object, 1000, alignment);
        toft_pool_trim(pool);
    }
    for (std::size_t i = 0; i < others.size(); i++)
        toft_pool_free(pool, others[i], 2 * mebibyte + i % 64 * 4096);
}

TEST_CASE("what a large object has no more when it shrinks goes back at once") {
    if (tracked()) return;
    for (std::size_t limit_bytes : {std::size_t{0}, 128 * mebibyte}) {
        CAPTURE(limit_bytes);
        pool_guard pool({.limit_bytes = limit_bytes});
        void *object = toft_pool_alloc(pool, 64 * mebibyte);
        REQUIRE(object != nullptr);
        std::memset(object, 0xa5, 64 * mebibyte);
        const std::size_t in_the_system = toft_fake_get_counts().live_bytes;
        CHECK(toft_pool_resize(pool, object, 64 * mebibyte, 3 * mebibyte) == object);
        CHECK(toft_fake_get_counts().live_bytes <= in_the_system - 60 * mebibyte);
        CHECK(reserved_bytes(pool) <= 5 * mebibyte);
        CHECK(static_cast<unsigned char *>(object)[3 * mebibyte - 1] == 0xa5);
        toft_pool_free(pool, object, 3 * mebibyte);
    }
}

TEST_CASE("an object of more than 1 GiB takes no kept mapping, of which none is so long") {
    if (tracked() || sizeof(void *) < 8) return;
    constexpr std::size_t longest = 1000 * mebibyte, other = 600 * mebibyte;
    constexpr std::size_t longer = 1100 * mebibyte;
    pool_guard pool;
    for (int round = 0; round < 3; round++) { // so that they are wanted again, and kept
        void *first = toft_pool_alloc(pool, longest), *second = toft_pool_alloc(pool, other);
        REQUIRE(first != nullptr);
        REQUIRE(second != nullptr);
        toft_pool_free(pool, first, longest);
        toft_pool_free(pool, second, other);
    }
    REQUIRE(kept_bytes(pool) >= longer);
    auto *object = static_cast<char *>(toft_pool_alloc(pool, longer));
    REQUIRE(object != nullptr);
    CHECK(reserved_bytes(pool) >= kept_bytes(pool) + longer);
    object[longer - 1] = 1;
    toft_pool_free(pool, object, longer);
}

TEST_CASE("an object that grows keeps an alignment beyond the system's page") {
    if (tracked()) return;
    constexpr std::size_t alignment = 4 * mebibyte;
    pool_guard pool;
    std::size_t size = 2 * mebibyte;
    auto *object = static_cast<char *>(toft_pool_alloc_aligned(pool, size, alignment));
    REQUIRE(object != nullptr);
    while (size < 100 * mebibyte) {
        object[size - 1] = 'x';
        const std::size_t longer = size * 3 / 2;
        object =
            static_cast<char *>(toft_pool_resize_aligned(pool, object, size, longer, alignment));
        REQUIRE(object != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(object) % alignment == 0);
        CHECK(object[size - 1] == 'x');
        size = longer;
    }
    volatile std::size_t enormous = SIZE_MAX - 100;
    CHECK(toft_pool_resize_any(pool, object, enormous) == nullptr);
    toft_pool_free_aligned(pool, object, size, alignment);
}
