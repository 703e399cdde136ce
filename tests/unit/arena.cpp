// SPDX-License-Identifier: MIT
// <toft/arena.h>: allocation, refusals, resizing, copies, statistics, moving.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include <toft/arena.h>

#include "support/aligned.hpp"
#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

TEST_CASE("an arena that isn't used has nothing and needs nothing") {
    toft_arena arena = TOFT_ARENA_INIT;
    toft_arena_stats stats = toft_arena_get_stats(&arena);
    CHECK(stats.used_bytes == 0);
    CHECK(stats.reserved_bytes == 0);
    CHECK(stats.high_water_bytes == 0);
    CHECK(stats.chunks == 0);
    CHECK(stats.upstream_allocations == 0);
    toft_savepoint start = toft_arena_save(&arena);
    toft_arena_rewind(&arena, start);
    toft_arena_reset(&arena);
    toft_arena_release(&arena);
    toft_arena_init(&arena, nullptr);
    CHECK(toft_arena_get_stats(&arena).upstream_allocations == 0);
}

TEST_CASE("every power of two is an alignment, for objects of every size") {
    // A gibibyte is more than any chunk; poisoning that much takes too long under a tool.
    const unsigned highest = tracked() ? 25 : 30;
    for (unsigned log = 0; log <= highest; log++) {
        std::size_t alignment = std::size_t(1) << log;
        arena_guard arena;
        for (std::size_t size : {0u, 1u, 7u, 8u, 9u, 100u, 5000u}) {
            auto *p = static_cast<char *>(toft_arena_alloc(arena, size, alignment));
            REQUIRE(p != nullptr);
            CHECK(is_aligned(p, alignment));
            std::memset(p, 0x5a, size);
            if (alignment > 1u << 24) break;
        }
    }
}

TEST_CASE("alignment holds just after a chunk change") {
    for (unsigned log = 0; log <= 16; log++) {
        std::size_t alignment = std::size_t(1) << log;
        for (std::size_t left = 0; left <= 128; left += 8) {
            counting_upstream upstream;
            arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 1024});
            REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
            auto room =
                static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(arena.get()->end) -
                                         reinterpret_cast<std::uintptr_t>(arena.get()->cur));
            if (!tracked()) REQUIRE(toft_arena_alloc(arena, room - left, 8) != nullptr);
            for (int i = 0; i < 3; i++) {
                auto *p = static_cast<char *>(toft_arena_alloc(arena, 72, alignment));
                REQUIRE(p != nullptr);
                CHECK(is_aligned(p, alignment));
                std::memset(p, 0x5a, 72);
            }
        }
    }
}

TEST_CASE("objects may be far larger than a chunk") {
    arena_guard arena;
    auto *before = static_cast<char *>(toft_arena_strdup(arena, "before"));
    for (std::size_t size = 1; size <= std::size_t(96) << 20; size = size * 3 + 5) {
        auto *p = static_cast<char *>(toft_arena_alloc(arena, size, 1));
        REQUIRE(p != nullptr);
        p[0] = 'a';
        p[size - 1] = 'z';
    }
    CHECK(std::strcmp(before, "before") == 0);
}

TEST_CASE("size 0 gives valid, distinct pointers") {
    arena_guard arena;
    std::set<void *> seen;
    for (int i = 0; i < 20000; i++) {
        std::size_t alignment = std::size_t(1) << (i % 7);
        void *p = toft_arena_alloc(arena, 0, alignment);
        REQUIRE(p != nullptr);
        CHECK(is_aligned(p, alignment));
        CHECK(seen.insert(p).second);
    }
    CHECK(toft_arena_alloc_array(arena, 0, 100, 8) != nullptr);
    CHECK(toft_arena_alloc_array(arena, 100, 0, 8) != nullptr);
    CHECK(toft_arena_calloc(arena, 0, 0, 8) != nullptr);
    CHECK(toft_arena_memdup(arena, nullptr, 0, 8) != nullptr);
}

TEST_CASE("what can't be had is refused, and changes nothing") {
    counting_upstream upstream;
    for (bool used : {false, true}) {
        arena_guard arena({.upstream = upstream.c()});
        void *object = used ? toft_arena_alloc(arena, 100, 8) : nullptr;
        toft_arena before = *arena.get();
        auto unchanged = [&] { return std::memcmp(&before, arena.get(), sizeof before) == 0; };
        // Volatile, so that the compiler can't see, and warn of, what is wrong.
        volatile std::size_t bad_alignments[] = {
            0, 3, 5, 6, 7, 9, 12, 24, 100, 65535, 65537, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2};
        for (std::size_t alignment : bad_alignments) {
            CHECK(toft_arena_alloc(arena, 8, alignment) == nullptr);
            CHECK(toft_arena_alloc(arena, 0, alignment) == nullptr);
            CHECK(toft_arena_calloc(arena, 2, 8, alignment) == nullptr);
            CHECK(toft_arena_memdup(arena, "x", 1, alignment) == nullptr);
            CHECK(toft_arena_resize(arena, nullptr, 0, 8, alignment) == nullptr);
            if (object != nullptr) {
                CHECK(toft_arena_resize(arena, object, 100, 50, alignment) == nullptr);
                CHECK(toft_arena_resize(arena, object, 100, 200, alignment) == nullptr);
            }
        }
        for (std::size_t below = 0; below < 200; below++) {
            volatile std::size_t size = SIZE_MAX - below;
            CHECK(toft_arena_alloc(arena, size, 1) == nullptr);
            CHECK(toft_arena_alloc(arena, size, 4096) == nullptr);
            CHECK(toft_arena_calloc(arena, 1, size, 8) == nullptr);
            CHECK(toft_arena_calloc(arena, size, 1, 8) == nullptr);
            CHECK(toft_arena_resize(arena, nullptr, 0, size, 8) == nullptr);
            if (object != nullptr) CHECK(toft_arena_resize(arena, object, 100, size, 8) == nullptr);
        }
        for (std::size_t size : {SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 4, SIZE_MAX / 8 + 1}) {
            volatile std::size_t hidden = size;
            CHECK(toft_arena_alloc(arena, hidden, 8) == nullptr);
        }
        volatile std::size_t half = SIZE_MAX / 2 + 1, root = std::size_t(1) << 32;
        CHECK(toft_arena_alloc_array(arena, half, 2, 8) == nullptr);
        CHECK(toft_arena_alloc_array(arena, 2, half, 8) == nullptr);
        CHECK(toft_arena_alloc_array(arena, root, root, 8) == nullptr);
        CHECK(toft_arena_calloc(arena, root, root + 1, 8) == nullptr);
        CHECK(toft_new_array(arena.get(), double, SIZE_MAX / 4) == nullptr);
        volatile std::size_t top = SIZE_MAX / 2 + 1; // the largest power of two
        CHECK(toft_arena_alloc(arena, 8, top) == nullptr);
        CHECK(unchanged());
        CHECK(toft_arena_alloc(arena, 8, 8) != nullptr);
    }
}

TEST_CASE("requests that only the system can refuse leave the arena usable") {
    arena_guard arena;
    char *before = toft_arena_strdup(arena, "before");
    for (std::size_t size = SIZE_MAX / 8; size > SIZE_MAX / 1024; size /= 2) {
        volatile std::size_t hidden = size;
        CHECK(toft_arena_alloc(arena, hidden, 8) == nullptr);
        CHECK(toft_arena_alloc(arena, 1, std::bit_floor(hidden)) == nullptr);
    }
    CHECK(std::strcmp(before, "before") == 0);
    CHECK(toft_arena_alloc(arena, 8, 8) != nullptr);
}

TEST_CASE("calloc zeroes memory that was used before") {
    arena_guard arena;
    for (int round = 0; round < 3; round++) {
        auto *dirty = static_cast<unsigned char *>(toft_arena_alloc(arena, 50000, 8));
        REQUIRE(dirty != nullptr);
        std::memset(dirty, 0xff, 50000);
        toft_arena_reset(arena);
        auto *clean = static_cast<unsigned char *>(toft_arena_calloc(arena, 500, 100, 64));
        REQUIRE(clean != nullptr);
        CHECK(is_aligned(clean, 64));
        CHECK(clean[0] == 0);
        CHECK(std::memcmp(clean, clean + 1, 49999) == 0);
        toft_arena_reset(arena);
    }
}

TEST_CASE("copies of bytes and strings") {
    arena_guard arena;
    const double numbers[] = {1, 2, 3};
    auto *copied =
        static_cast<double *>(toft_arena_memdup(arena, numbers, sizeof numbers, alignof(double)));
    REQUIRE(copied != nullptr);
    CHECK(std::memcmp(copied, numbers, sizeof numbers) == 0);
    CHECK(copied != numbers);

    CHECK(std::strcmp(toft_arena_strdup(arena, ""), "") == 0);
    CHECK(std::strcmp(toft_arena_strdup(arena, "toft"), "toft") == 0);
    CHECK(std::strcmp(toft_arena_strndup(arena, "toft", 2), "to") == 0);
    CHECK(std::strcmp(toft_arena_strndup(arena, "toft", 4), "toft") == 0);
    CHECK(std::strcmp(toft_arena_strndup(arena, "toft", 5), "toft") == 0);
    CHECK(std::strcmp(toft_arena_strndup(arena, "toft", SIZE_MAX), "toft") == 0);
    CHECK(std::strcmp(toft_arena_strndup(arena, "toft", 0), "") == 0);
    const char unterminated[] = {'a', 'b', 'c'};
    CHECK(std::strcmp(toft_arena_strndup(arena, unterminated, 3), "abc") == 0);
}

TEST_CASE("free_last frees the last allocation and no other") {
    arena_guard arena;
    void *first = toft_arena_alloc(arena, 100, 8);
    void *second = toft_arena_alloc(arena, 0, 8);
    CHECK_FALSE(toft_arena_free_last(arena, first, 100));
    CHECK_FALSE(toft_arena_free_last(arena, nullptr, 0));
    CHECK_FALSE(toft_arena_free_last(arena, second, 50));
    CHECK(toft_arena_free_last(arena, second, 0));
    CHECK(toft_arena_free_last(arena, first, 100));
    CHECK(toft_arena_get_stats(arena).used_bytes == 0);
    void *again = toft_arena_alloc(arena, 100, 8);
    CHECK(again == first);
}

TEST_CASE("free_last in a loop goes on for ever in one place") {
    arena_guard arena;
    REQUIRE(toft_arena_alloc(arena, 40, 8) != nullptr);
    std::size_t used_bytes = toft_arena_get_stats(arena).used_bytes;
    for (int i = 0; i < 100000; i++) {
        void *p = toft_arena_alloc(arena, static_cast<std::size_t>(i % 100), 8);
        REQUIRE(toft_arena_free_last(arena, p, static_cast<std::size_t>(i % 100)));
    }
    CHECK(toft_arena_get_stats(arena).used_bytes == used_bytes);
    CHECK(toft_arena_get_stats(arena).chunks == 1);
}

TEST_CASE("resize grows and shrinks the last object in place") {
    arena_guard arena;
    auto *object = static_cast<char *>(toft_arena_alloc(arena, 10, 1));
    std::memcpy(object, "0123456789", 10);
    for (std::size_t size : {20u, 15u, 4000u, 10u, 30000u}) {
        CHECK(toft_arena_resize(arena, object, 10, size, 1) == object);
        CHECK(std::memcmp(object, "0123456789", 10) == 0);
        std::memset(object + 10, 'x', size - 10);
        CHECK(toft_arena_resize(arena, object, size, 10, 1) == object);
    }
    CHECK(toft_arena_resize(arena, object, 10, 0, 1) == object);
    CHECK(toft_arena_resize(arena, object, 0, 10, 1) == object);
    CHECK(toft_arena_get_stats(arena).chunks == 1);
    CHECK(toft_arena_free_last(arena, object, 10));
}

TEST_CASE("resize of what isn't last shrinks in place and grows by copying") {
    arena_guard arena;
    auto *object = static_cast<char *>(toft_arena_alloc(arena, 10, 1));
    std::memcpy(object, "0123456789", 10);
    auto *next = static_cast<char *>(toft_arena_strdup(arena, "next"));
    CHECK(toft_arena_resize(arena, object, 10, 5, 1) == object);
    auto *grown = static_cast<char *>(toft_arena_resize(arena, object, 5, 500, 1));
    REQUIRE(grown != nullptr);
    CHECK(grown != object);
    CHECK(std::memcmp(grown, "01234", 5) == 0);
    std::memset(grown, 'x', 500);
    CHECK(std::strcmp(next, "next") == 0);
}

TEST_CASE("resize beyond the chunk copies, and from NULL allocates") {
    arena_guard arena;
    auto *object = static_cast<char *>(toft_arena_resize(arena, nullptr, 0, 10, 1));
    REQUIRE(object != nullptr);
    std::memcpy(object, "0123456789", 10);
    std::size_t size = 10;
    while (size < std::size_t(20) << 20) {
        auto *grown = static_cast<char *>(toft_arena_resize(arena, object, size, size * 7, 1));
        REQUIRE(grown != nullptr);
        object = grown;
        size *= 7;
        CHECK(std::memcmp(object, "0123456789", 10) == 0);
        object[size - 1] = 'z';
    }
}

TEST_CASE("resize to a stronger alignment") {
    for (unsigned log = 0; log <= 20; log++) {
        std::size_t alignment = std::size_t(1) << log;
        arena_guard arena;
        REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        auto *object = static_cast<char *>(toft_arena_alloc(arena, 10, 1));
        std::memcpy(object, "0123456789", 10);
        for (std::size_t size : {10u, 30u, 12u}) {
            auto *moved =
                static_cast<char *>(toft_arena_resize(arena, object, 10, size, alignment));
            REQUIRE(moved != nullptr);
            CHECK(is_aligned(moved, alignment));
            CHECK(std::memcmp(moved, "0123456789", 10) == 0);
            object = static_cast<char *>(toft_arena_resize(arena, moved, size, 10, 1));
            REQUIRE(object != nullptr);
        }
    }
}

TEST_CASE("resize that fails leaves the object as it was") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 1024});
    auto *object = static_cast<char *>(toft_arena_alloc(arena, 10, 1));
    std::memcpy(object, "0123456789", 10);
    upstream.fail_at(1, true);
    CHECK(toft_arena_resize(arena, object, 10, 100000, 1) == nullptr);
    CHECK(std::memcmp(object, "0123456789", 10) == 0);
    CHECK(toft_arena_resize(arena, object, 10, 100, 1) == object);
}

TEST_CASE("statistics are exact") {
    if (tracked()) return;
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 4096});
    auto stats = [&] { return toft_arena_get_stats(arena); };

    REQUIRE(toft_arena_alloc(arena, 1, 1) != nullptr);
    CHECK(stats().used_bytes == 8);
    CHECK(stats().reserved_bytes == 4096);
    CHECK(stats().chunks == 1);
    CHECK(stats().upstream_allocations == 1);
    CHECK(stats().upstream_frees == 0);

    // Chunks begin with a header of 64 bytes and are aligned to 16: the next multiple of 16 is 16.
    REQUIRE(toft_arena_alloc(arena, 17, 16) != nullptr);
    CHECK(stats().used_bytes == 40);
    void *last = toft_arena_alloc(arena, 1000, 8);
    CHECK(stats().used_bytes == 1040);
    CHECK(toft_arena_free_last(arena, last, 1000));
    CHECK(stats().used_bytes == 40);
    CHECK(stats().high_water_bytes == 1040);

    toft_savepoint point = toft_arena_save(arena);
    REQUIRE(toft_arena_alloc(arena, 4096, 8) != nullptr); // the first chunk's rest is left behind
    CHECK(stats().used_bytes == 40 + 4096);
    CHECK(stats().chunks == 2);
    CHECK(stats().reserved_bytes == upstream.live_bytes);
    toft_arena_rewind(arena, point);
    CHECK(stats().used_bytes == 40);
    CHECK(stats().chunks == 2);
    CHECK(stats().high_water_bytes == 40 + 4096);
    toft_arena_reset(arena);
    CHECK(stats().used_bytes == 0);
    CHECK(stats().high_water_bytes == 40 + 4096);
    CHECK(stats().upstream_allocations == 2);
    CHECK(upstream.frees == 0);
    toft_arena_release(arena);
    CHECK(stats().reserved_bytes == 0);
    CHECK(stats().high_water_bytes == 0);
    CHECK(stats().chunks == 0);
    CHECK(upstream.live_bytes == 0);
}

TEST_CASE("high water counts what was freed in between") {
    arena_guard arena;
    for (int i = 0; i < 3; i++) {
        void *big = toft_arena_alloc(arena, 20000, 8);
        std::size_t used_bytes = toft_arena_get_stats(arena).used_bytes;
        CHECK(toft_arena_free_last(arena, big, 20000));
        REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        CHECK(toft_arena_get_stats(arena).high_water_bytes == used_bytes);
        void *grown = toft_arena_alloc(arena, 8, 8);
        CHECK(toft_arena_resize(arena, grown, 8, 30000, 8) == grown);
        used_bytes = toft_arena_get_stats(arena).used_bytes;
        CHECK(toft_arena_resize(arena, grown, 30000, 8, 8) == grown);
        CHECK(toft_arena_get_stats(arena).high_water_bytes == used_bytes);
        toft_arena_release(arena);
    }
}

TEST_CASE("toft_arena_move takes memory, options and deferred functions along") {
    static int runs;
    runs = 0;
    counting_upstream upstream;
    toft_arena from, to;
    toft_arena_options options = {};
    options.upstream = upstream.c();
    options.limit_bytes = 100000;
    toft_arena_init(&from, &options);
    char *text = toft_arena_strdup(&from, "text");
    REQUIRE(toft_arena_defer(&from, [](void *) { runs++; }, nullptr));
    toft_arena_move(&to, &from);
    CHECK(std::strcmp(text, "text") == 0);
    CHECK(toft_arena_get_stats(&from).reserved_bytes == 0);
    CHECK(toft_arena_alloc(&to, 200000, 8) == nullptr);
    CHECK(toft_arena_alloc(&from, 200000, 8) != nullptr); // of the system now
    CHECK(toft_arena_alloc(&to, 100, 8) != nullptr);
    CHECK(toft_arena_strdup(&to, "more") != nullptr);
    toft_arena_release(&from);
    CHECK(runs == 0);
    toft_arena_release(&to);
    CHECK(runs == 1);
    CHECK(upstream.live_blocks() == 0);
}

TEST_CASE("grow_last grows the last object as far as it says") {
    if (tracked()) return; // it never does then
    constexpr std::size_t most = std::size_t{64} << 10;
    arena_guard arena({.chunk_bytes = std::size_t{1} << 20});
    void *object = toft_arena_alloc(arena, 100, 8);
    CHECK_FALSE(toft_arena_grow_last(arena, object, 100, 96)); // it would shrink
    CHECK(toft_arena_grow_last(arena, object, 100, most));
    CHECK_FALSE(toft_arena_grow_last(arena, object, most, most + 1));
    CHECK_FALSE(toft_arena_grow_last(arena, nullptr, 0, 8));
    CHECK(static_cast<char *>(toft_arena_alloc(arena, 8, 8)) == static_cast<char *>(object) + most);
    CHECK_FALSE(toft_arena_grow_last(arena, object, most, most));
}
