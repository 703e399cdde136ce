// SPDX-License-Identifier: MIT
// Malloc's shape over the strategy that a thread uses for now.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <toft/current.hpp>

#include "support/build.hpp"
#include "support/used.hpp"

using namespace toft_test;

TEST_CASE("malloc's shape takes memory from what is current") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    void *shared = toft_current_alloc(100);
    CHECK(toft_pool_of(shared) == toft_pool_shared());
    {
        toft::use block(pool);
        void *object = toft_current_alloc(100);
        CHECK(toft_pool_of(object) == pool.c_pool());
        toft_current_free(shared); // to its own pool
        toft_current_free(object);
    }
    {
        toft::use block(arena);
        void *object = toft_current_alloc(100);
        CHECK(toft_pool_of(object) == nullptr);
        CHECK(used(arena) >= 100);
        toft_current_free(object); // the last one
        CHECK(used(arena) == 0);
    }
    {
        toft::use block(reap);
        void *first = toft_current_alloc(100), *second = toft_current_alloc(100);
        CHECK(used(reap) >= 200);
        toft_current_free(first);
        void *again = toft_current_alloc(100);
        if (!toft_test::address_sanitizer) CHECK(again == first); // handed out again
        toft_current_free(again);
        toft_current_free(second);
        CHECK(is_empty(reap));
    }
    toft_current_free(nullptr);
}

TEST_CASE("while an arena is current, frees go where their objects lie") {
    toft::pool pool;
    std::vector<void *> in_pool;
    {
        toft::use block(pool);
        for (const std::size_t size : {8u, 100u, 40'000u, 3'000'000u})
            in_pool.push_back(toft_current_alloc(size));
    }
    toft::arena arena;
    toft::use block(arena);
    std::vector<void *> objects;
    for (int i = 0; i < 3000; ++i) objects.push_back(toft_current_alloc(1000)); // many chunks
    void *const large = toft_current_alloc(5'000'000);
    const std::size_t before = used(arena);
    for (void *object : in_pool) toft_current_free(object);
    CHECK(pool.stats().live_bytes == 0);
    for (std::size_t i = 0; i != objects.size() - 2; ++i) toft_current_free(objects[i]);
    toft_current_free(nullptr);
    CHECK(used(arena) == before); // all of them stay
    toft_current_free(large);
    void *const last_but_one = toft_current_alloc(992), *const last = toft_current_alloc(992);
    toft_current_free(last);
    toft_current_free(last_but_one); // now it was the last one
    CHECK(used(arena) < before);
    if (!toft_test::address_sanitizer) CHECK(toft_current_alloc(992) == last_but_one);
}

TEST_CASE("while a reap is current, an object of a pool goes back to it") {
    toft::pool pool;
    void *small = pool.allocate(100), *large = pool.allocate(40'000);
    toft::reap reap;
    toft::use block(reap);
    REQUIRE(toft_current_alloc(100) != nullptr);
    toft_current_free(small);
    toft_current_free(large);
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("a pool may have its memory from the arena that is current") {
    toft::arena arena;
    const toft_upstream upstream = {
        [](void *from, std::size_t size, std::size_t alignment) {
            return toft_arena_alloc(static_cast<toft_arena *>(from), size, alignment);
        },
        [](void *, void *, std::size_t, std::size_t) {}, arena.c_arena()};
    toft_pool_options options = {};
    options.upstream = &upstream;
    toft_pool *pool = toft_pool_create(&options);
    REQUIRE(pool != nullptr);
    void *objects[] = {toft_pool_alloc(pool, 100), toft_pool_alloc(pool, 300'000)};
    {
        toft::use block(arena);
        void *beside = toft_current_alloc(100);
        for (void *object : objects) toft_current_free(object);
        CHECK(toft_pool_get_stats(pool).live_bytes == 0);
        toft_current_free(beside);
    }
    toft_pool_destroy(pool);
}

// At the end of a chunk, where other memory may begin.
TEST_CASE("an empty object in a use has an address of its own, in its own memory") {
    toft::reap reap;
    toft::arena arena;
    for (const toft_strategy strategy :
         {toft_strategy_of_arena(arena.c_arena()), toft_strategy_of_reap(reap.c_reap())}) {
        const toft_current_use use = toft_current_push(strategy);
        for (int i = 0; i < 30'000; ++i) {
            CHECK(toft_pool_of(toft_current_alloc(0)) == nullptr);
            void *const last = toft_current_alloc(16);
            CHECK(toft_current_alloc(0) != last);
        }
        toft_current_pop(use);
    }
}

TEST_CASE("an empty object at the end of an arena's buffer lies in it") {
    for (std::size_t bytes = 400; bytes < 500; bytes += 8) {
        alignas(16) static std::array<unsigned char, 500> buffer;
        toft::arena arena({.first_buffer = buffer.data(), .first_buffer_bytes = bytes});
        toft::use block(arena);
        for (int i = 0; i < 40; ++i) {
            auto *object = static_cast<unsigned char *>(toft_current_alloc(0));
            REQUIRE(object != nullptr);
            CHECK(object != buffer.data() + bytes);
        }
    }
}

TEST_CASE("an arena may be reset and released while it is current") {
    toft::arena arena;
    toft::use block(arena);
    for (int round = 0; round < 6; ++round) {
        void *first = toft_current_alloc(100);
        REQUIRE(first != nullptr);
        for (int i = 0; i < 2000; ++i) REQUIRE(toft_current_alloc(500) != nullptr);
        void *last = toft_current_alloc(100);
        toft_current_free(first);
        const std::size_t before = used(arena);
        toft_current_free(last);
        CHECK(used(arena) < before);
        if (round % 2 == 0)
            arena.reset();
        else
            arena.release();
        CHECK(used(arena) == 0);
    }
}

TEST_CASE("an object of an arena or reap that isn't current stays where it is") {
    toft::arena arena, other;
    toft::reap reap, other_reap;
    void *in_arena, *in_reap;
    {
        toft::use block(arena);
        in_arena = toft_current_alloc(100);
        toft::use inner(reap);
        in_reap = toft_current_alloc(100);
    }
    const std::size_t of_arena = used(arena), of_reap = used(reap);
    auto free_both = [&] {
        toft_current_free(in_arena);
        toft_current_free(in_reap);
    };
    free_both();
    {
        toft::use block(other);
        void *last = toft_current_alloc(8);
        free_both();
        toft_current_free(last);
    }
    {
        toft::use block(other_reap);
        free_both();
        CHECK(is_empty(other_reap));
    }
    std::thread(free_both).join();
    CHECK(used(arena) == of_arena);
    CHECK(used(reap) == of_reap);
}

TEST_CASE("a resized object stays in its strategy") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    const toft_strategy strategies[] = {toft_strategy{0}, toft_strategy_of_arena(arena.c_arena()),
                                        toft_strategy_of_reap(reap.c_reap()),
                                        toft_strategy_of_pool(pool.c_pool())};
    static constexpr std::size_t sizes[] = {1, 7, 100, 90, 5000, 40, 100000, 2000000, 17};
    auto expect_contents = [](const char *object, std::size_t size) {
        for (std::size_t i = 0; i < size; i++) REQUIRE(object[i] == static_cast<char>(i));
    };
    for (toft_strategy made_in : strategies)
        for (toft_strategy resized_in : strategies) {
            char *object = nullptr;
            std::size_t size = 0;
            toft_pool *owner = nullptr;
            for (std::size_t next : sizes) {
                toft::use block(size == 0 ? made_in : resized_in);
                object = static_cast<char *>(toft_current_resize(object, next));
                REQUIRE(object != nullptr);
                if (next > 8) CHECK(reinterpret_cast<std::uintptr_t>(object) % 16 == 0);
                expect_contents(object, size < next ? size : next);
                for (std::size_t i = 0; i < next; i++) object[i] = static_cast<char>(i);
                if (size == 0) owner = toft_pool_of(object);
                CHECK(toft_pool_of(object) == owner);
                size = next;
            }
            toft::use block(made_in);
            CHECK(toft_current_resize(object, 0) == nullptr);
        }
    CHECK(is_empty(reap));
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("the last allocation grows where it is") {
    toft::arena arena;
    toft::use block(arena);
    void *object = toft_current_alloc(100);
    for (std::size_t size = 100; size < 20000; size += 100) {
        CHECK(toft_current_resize(object, size) == object);
    }
    CHECK(used(arena) < 21000);
}

TEST_CASE("every alignment, zeroed arrays, copies of strings") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    for (toft_strategy strategy :
         {toft_strategy{0}, toft_strategy_of_arena(arena.c_arena()),
          toft_strategy_of_reap(reap.c_reap()), toft_strategy_of_pool(pool.c_pool())}) {
        toft::use block(strategy);
        for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
            void *object = toft_current_alloc_aligned(100, alignment);
            REQUIRE(object != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(object) % alignment == 0);
            std::memset(object, 'x', 100);
            object = toft_current_resize(object, 200);
            CHECK(static_cast<char *>(object)[99] == 'x');
            toft_current_free(object);
        }
        CHECK(toft_current_alloc_aligned(1, 3) == nullptr);
        char *zeroed = static_cast<char *>(toft_current_calloc(10, 100));
        for (int i = 0; i < 1000; i++) REQUIRE(zeroed[i] == 0);
        char *copy = toft_current_strdup("text");
        CHECK(std::string(copy) == "text");
        void *empty = toft_current_alloc(0), *another = toft_current_alloc(0);
        CHECK(empty != another);
        for (void *object :
             {another, empty, static_cast<void *>(copy), static_cast<void *>(zeroed)})
            toft_current_free(object);
    }
    CHECK(is_empty(reap));
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("too much is NULL, and changes nothing") {
    toft::arena arena({.limit_bytes = 1 << 20});
    toft::reap reap({.limit_bytes = 1 << 20});
    toft::pool pool({.limit_bytes = 4 << 20});
    for (toft_strategy strategy :
         {toft_strategy_of_arena(arena.c_arena()), toft_strategy_of_reap(reap.c_reap()),
          toft_strategy_of_pool(pool.c_pool()), toft_strategy{0}}) {
        toft::use block(strategy);
        void *object = toft_current_alloc(100);
        std::memset(object, 'x', 100);
        std::size_t huge = PTRDIFF_MAX;
        for (std::size_t size : {huge, huge - 15, huge + 1, SIZE_MAX, SIZE_MAX - 16}) {
            CHECK(toft_current_alloc(size) == nullptr);
            CHECK(toft_current_alloc_aligned(size, 4096) == nullptr);
            CHECK(toft_current_calloc(size, 2) == nullptr);
            CHECK(toft_current_resize(object, size) == nullptr);
        }
        CHECK(toft_current_alloc_aligned(1, huge + 1) == nullptr);
        if (strategy.word != 0) CHECK(toft_current_resize(object, 64 << 20) == nullptr);
        CHECK(static_cast<char *>(object)[99] == 'x');
        toft_current_free(object);
    }
}

TEST_CASE(
    "what is freed against the rules, when its memory is gone, does an empty strategy no harm") {
    void *kept;
    {
        toft::arena gone;
        toft::use block(gone);
        kept = toft_current_alloc(100 << 20);
    }
    toft_trim();
    if (toft_test::address_sanitizer) return; // which would report it
    toft_current_free(kept);
    toft::arena arena;
    toft::use block(arena);
    toft_current_free(kept);
    CHECK(used(arena) == 0);
    toft::reap reap;
    toft::use inner(reap);
    toft_current_free(kept);
    CHECK(used(reap) == 0);
}

// What a use has made is known again by what moves along with its arena or reap.
TEST_CASE("an object of a moved reap isn't taken for one of the reap that lies there now") {
    for (std::size_t size : {std::size_t{100}, std::size_t{100000}}) {
        CAPTURE(size);
        toft_reap reap = TOFT_REAP_INIT, kept = TOFT_REAP_INIT;
        toft_current_use use = toft_current_push(toft_strategy_of_reap(&reap));
        auto *former = static_cast<char *>(toft_current_alloc(size));
        std::memset(former, 'f', size);
        toft_current_pop(use);
        toft_reap_move(&kept, &reap);

        use = toft_current_push(toft_strategy_of_reap(&reap));
        void *other = toft_current_alloc(size);
        toft_current_free(former); // stays where it is
        auto *next = static_cast<char *>(toft_current_alloc(size));
        CHECK(next != former);
        std::memset(next, 'n', size);
        toft_current_free(other);
        toft_current_free(next);
        toft_current_pop(use);
        CHECK(is_empty(&reap));
        CHECK(std::string(former, size) == std::string(size, 'f'));

        use = toft_current_push(toft_strategy_of_reap(&kept));
        toft_current_free(former); // goes back
        toft_current_pop(use);
        CHECK(is_empty(&kept));
        toft_reap_release(&kept);
        toft_reap_release(&reap);
    }
}

TEST_CASE("an object is resized in its arena or reap wherever that was moved to") {
    for (bool opened : {false, true}) { // a first chunk has its header, or not yet
        CAPTURE(opened);
        toft_arena arena = TOFT_ARENA_INIT, moved = TOFT_ARENA_INIT;
        toft_reap reap = TOFT_REAP_INIT, moved_reap = TOFT_REAP_INIT;
        toft_current_use use = toft_current_push(toft_strategy_of_arena(&arena));
        char *text = toft_current_strdup("text");
        toft_current_pop(use);
        use = toft_current_push(toft_strategy_of_reap(&reap));
        char *word = toft_current_strdup("word");
        toft_current_pop(use);
        if (opened) {
            REQUIRE(toft_arena_alloc(&arena, 500000, 8) != nullptr);
            REQUIRE(toft_reap_alloc(&reap, 500000, 8) != nullptr);
        }
        toft_arena_move(&moved, &arena);
        toft_reap_move(&moved_reap, &reap);
        std::memset(static_cast<void *>(&arena), 0xff, sizeof arena);
        std::memset(static_cast<void *>(&reap), 0xff, sizeof reap);
        const std::size_t used_before = used(&moved), used_by_reap = used(&moved_reap);
        text = static_cast<char *>(toft_current_resize(text, 5000));
        word = static_cast<char *>(toft_current_resize(word, 5000));
        REQUIRE(text != nullptr);
        REQUIRE(word != nullptr);
        CHECK(std::string(text) == "text");
        CHECK(std::string(word) == "word");
        CHECK(used(&moved) >= used_before + 4990);
        CHECK(used(&moved_reap) >= used_by_reap + 4900);
        toft_arena_release(&moved);
        toft_reap_release(&moved_reap);
    }
}
