// SPDX-License-Identifier: MIT
// The pool without sizes: look-ups by address, frees, and objects that are resized.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

const std::vector<std::size_t> sizes = {0,      1,      8,       9,       24,      100,    512,
                                        513,    1000,   3000,    10000,   32768,   32769,  40000,
                                        100000, 500000, 1000000, 1100000, 3000000, 9000000};

void fill(void *object, std::size_t size, unsigned seed = 0) {
    auto *bytes = static_cast<unsigned char *>(object);
    for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<unsigned char>(i * 7 + seed);
}

bool is_filled(const void *object, std::size_t size, unsigned seed = 0) {
    auto *bytes = static_cast<const unsigned char *>(object);
    for (std::size_t i = 0; i < size; i++)
        if (bytes[i] != static_cast<unsigned char>(i * 7 + seed)) return false;
    return true;
}

bool is_zero(const void *object, std::size_t size) {
    auto *bytes = static_cast<const unsigned char *>(object);
    return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

} // namespace

TEST_CASE("any object is found by its address, and freed without its size") {
    if (too_long_for_tsan()) return; // one thread
    pool_guard pool;
    for (toft_pool *used : {static_cast<toft_pool *>(pool), toft_pool_shared()}) {
        std::size_t live_before = live_bytes(used);
        std::vector<void *> objects;
        for (std::size_t size : sizes) {
            for (std::size_t alignment : {0u, 8u, 64u, 4096u, 65536u}) {
                void *object = alignment == 0 ? toft_pool_alloc(used, size)
                                              : toft_pool_alloc_aligned(used, size, alignment);
                REQUIRE(object != nullptr);
                fill(object, size);
                CAPTURE(size);
                CAPTURE(alignment);
                CHECK(toft_pool_of(object) == used);
                CHECK(toft_pool_usable_bytes(object) >= size);
                objects.push_back(object);
            }
        }
        for (void *object : objects) toft_pool_free_any(used, object);
        toft_pool_free_any(used, nullptr);
        CHECK(live_bytes(used) == live_before);
    }
}

TEST_CASE("all bytes of an object that may be used are its own") {
    pool_guard pool;
    std::vector<std::pair<char *, std::size_t>> objects;
    for (std::size_t size = 0; size < 2000000; size += 1 + size / 5) {
        for (int i = 0; i < 3; i++) {
            auto *object = static_cast<char *>(toft_pool_alloc(pool, size));
            std::size_t usable = toft_pool_usable_bytes(object);
            std::memset(object, 'x', usable);
            objects.push_back({object, usable});
        }
    }
    std::sort(objects.begin(), objects.end());
    for (std::size_t i = 1; i < objects.size(); i++)
        CHECK(objects[i - 1].first + objects[i - 1].second <= objects[i].first);
    for (auto [object, usable] : objects) toft_pool_free_any(pool, object);
}

TEST_CASE("what is no pool's is told apart with certainty") {
    static int in_data;
    int on_stack = 0;
    void *of_malloc = std::malloc(100), *of_malloc_too = std::malloc(1 << 22);
    std::size_t bytes = std::size_t{8} << 20;
    void *mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::vector<const void *> foreign = {nullptr,       &in_data,           &on_stack, of_malloc,
                                         of_malloc_too, toft_pool_shared(), &foreign};
    for (std::size_t at = 0; at < bytes; at += 4096)
        foreign.push_back(static_cast<char *>(mapped) + at);
    // Addresses that no object can have.
    for (std::uintptr_t address : {std::uintptr_t{1}, UINTPTR_MAX, UINTPTR_MAX / 2,
                                   std::uintptr_t{1} << 48, std::uintptr_t{1} << 56})
        foreign.push_back(reinterpret_cast<const void *>(address));
    for (const void *address : foreign) {
        CAPTURE(address);
        CHECK(toft_pool_of(address) == nullptr);
        CHECK(toft_pool_usable_bytes(address) == 0);
    }
    munmap(mapped, bytes);
    std::free(of_malloc);
    std::free(of_malloc_too);
}

TEST_CASE("memory that went back to an upstream is no pool's any more") {
    for (bool destroyed : {false, true}) {
        counting_upstream upstream;
        toft_pool_options options = {.upstream = upstream.c()};
        toft_pool *pool = toft_pool_create(&options);
        std::vector<void *> objects;
        for (std::size_t size : sizes) objects.push_back(toft_pool_alloc(pool, size));
        for (void *object : objects) CHECK(toft_pool_of(object) == pool);
        if (destroyed) {
            toft_pool_destroy(pool);
        } else {
            for (void *object : objects) toft_pool_free_any(pool, object);
            toft_pool_trim(pool);
        }
        // One block may stay for the records of the thread's cache.
        CHECK(upstream.live_blocks() <= (destroyed ? 0 : 1));
        for (std::size_t i = 0; i < sizes.size(); i++)
            if (destroyed || sizes[i] > TOFT_POOL_SMALL_MAX)
                CHECK(toft_pool_of(objects[i]) == nullptr);
        if (!destroyed) toft_pool_destroy(pool);
    }
}

namespace {

void *take_from_pool(void *pool, std::size_t bytes, std::size_t alignment) {
    return toft_pool_alloc_aligned(static_cast<toft_pool *>(pool), bytes, alignment);
}
void give_to_pool(void *pool, void *memory, std::size_t, std::size_t) {
    toft_pool_free_any(static_cast<toft_pool *>(pool), memory);
}

} // namespace

TEST_CASE("a pool over a pool that frees its blocks without their size") {
    pool_guard outer;
    for (bool destroyed : {false, true}) {
        toft_upstream upstream = {take_from_pool, give_to_pool, outer};
        toft_pool_options options = {.upstream = &upstream};
        toft_pool *inner = toft_pool_create(&options);
        std::vector<void *> objects;
        for (int i = 0; i < 40; i++)
            for (std::size_t size : sizes) objects.push_back(toft_pool_alloc(inner, size));
        for (void *object : objects) CHECK(toft_pool_of(object) == inner);
        if (!destroyed)
            for (void *object : objects) toft_pool_free_any(inner, object);
        toft_pool_destroy(inner);
        CHECK(live_bytes(outer) == 0);
    }
}

#if UINTPTR_MAX > 0xffffffff
TEST_CASE("the map grows with the addresses that a pool gets") {
    // As far apart as the system lets them lie: under ThreadSanitizer, not at all.
    struct far_apart {
        std::uintptr_t next = std::uintptr_t{1} << 40;
        static void *take(void *context, std::size_t bytes, std::size_t) {
            auto *self = static_cast<far_apart *>(context);
            void *hint = reinterpret_cast<void *>(self->next);
            self->next += std::uintptr_t{1} << 38;
            void *memory = mmap(hint, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) return nullptr;
            if (memory == hint) return memory;
            munmap(memory, bytes);
            return nullptr;
        }
        static void give(void *, void *memory, std::size_t bytes, std::size_t) {
            munmap(memory, bytes);
        }
    } addresses;
    toft_upstream upstream = {far_apart::take, far_apart::give, &addresses};
    pool_guard pool({.upstream = &upstream});
    std::vector<void *> objects;
    for (int i = 0; i < 30; i++)
        for (std::size_t size : {100u, 40000u, 2000000u})
            if (void *object = toft_pool_alloc(pool, size)) objects.push_back(object);
    for (void *object : objects) CHECK(toft_pool_of(object) == pool);
    for (void *object : objects) toft_pool_free_any(pool, object);
    CHECK(live_bytes(pool) == 0);
}
#endif

TEST_CASE("threads free each other's objects without sizes") {
    pool_guard pool;
    for (int round = 0; round < 20; round++) {
        std::vector<void *> objects;
        std::thread([&] {
            for (std::size_t i = 0; i < 3000; i++) {
                std::size_t size = i % 100 == 0 ? 50000 : i % 700;
                objects.push_back(toft_pool_alloc(pool, size));
                fill(objects.back(), size);
            }
        }).join();
        std::thread([&] {
            for (void *object : objects) toft_pool_free_any(pool, object);
        }).join();
    }
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("a resized object keeps its contents, in both directions") {
    pool_guard pool;
    for (std::size_t old_size : sizes) {
        for (std::size_t new_size : sizes) {
            if (thread_sanitizer && old_size + new_size > 200000) continue; // takes minutes
            CAPTURE(old_size);
            CAPTURE(new_size);
            std::size_t kept = std::min(old_size, new_size);
            void *object = toft_pool_alloc(pool, old_size);
            fill(object, old_size, 1);
            object = toft_pool_resize(pool, object, old_size, new_size);
            CHECK(is_filled(object, kept, 1));
            fill(object, new_size);
            toft_pool_free(pool, object, new_size);

            object = toft_pool_alloc(pool, old_size);
            fill(object, old_size, 2);
            object = toft_pool_resize_any(pool, object, new_size);
            CHECK(is_filled(object, kept, 2));
            CHECK(toft_pool_usable_bytes(object) >= new_size);
            fill(object, new_size);
            toft_pool_free_any(pool, object);

            object = toft_pool_alloc_aligned(pool, old_size, 256);
            fill(object, old_size, 3);
            object = toft_pool_resize_aligned(pool, object, old_size, new_size, 256);
            CHECK(reinterpret_cast<std::uintptr_t>(object) % 256 == 0);
            CHECK(is_filled(object, kept, 3));
            toft_pool_free_aligned(pool, object, new_size, 256);
        }
    }
    CHECK(live_bytes(pool) == 0);
    void *made = toft_pool_resize(pool, nullptr, 0, 50);
    toft_pool_free(pool, made, 50);
    made = toft_pool_resize_any(pool, nullptr, 50);
    toft_pool_free_any(pool, made);
    CHECK(toft_pool_resize_aligned(pool, nullptr, 0, 50, 48) == nullptr);
}

TEST_CASE("within a class, and as long as half of it is used, nothing moves") {
    if (address_sanitizer) return; // each has its own size then
    pool_guard pool;
    void *object = toft_pool_alloc(pool, 100);
    CHECK(toft_pool_resize(pool, object, 100, 112) == object);
    CHECK(toft_pool_resize(pool, object, 112, 97) == object);
    CHECK(toft_pool_resize_any(pool, object, 56) == object);
    CHECK(toft_pool_resize_any(pool, object, 112) == object);
    object = toft_pool_resize_any(pool, object, 10);
    CHECK(toft_pool_usable_bytes(object) < 56);
    toft_pool_free_any(pool, object);
    object = toft_pool_alloc(pool, 100000);
    CHECK(toft_pool_resize(pool, object, 100000, 60000) == object);
    toft_pool_free(pool, object, 60000);
}

TEST_CASE("large objects grow by remapping: no byte is copied, none is mapped twice") {
    if (address_sanitizer) return; // they are copied then, so that it sees the old one freed
    pool_guard pool;
    std::size_t size = 2 * mebibyte;
    void *object = toft_pool_alloc(pool, size);
    std::vector<void *> walls;
    fill(object, size);
    for (; size < 64 * mebibyte; size += size / 2) {
        object = toft_pool_resize_any(pool, object, size + size / 2);
        REQUIRE(object != nullptr);
        CHECK(toft_pool_of(object) == pool);
        // Its neighbour's addresses are taken, so that it must move now and then.
        walls.push_back(toft_pool_alloc(pool, 3 * mebibyte));
        toft_pool_stats stats = toft_pool_get_stats(pool);
        CHECK(stats.high_water_bytes <= stats.live_bytes + stats.cached_bytes + mebibyte);
    }
    CHECK(is_filled(object, 2 * mebibyte));
    object = toft_pool_resize_any(pool, object, 5 * mebibyte);
    CHECK(is_filled(object, 2 * mebibyte));
    CHECK(live_bytes(pool) <= (walls.size() * 4 + 6) * mebibyte);
    for (void *wall : walls) toft_pool_free_any(pool, wall);
    toft_pool_free_any(pool, object);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("an object that can't be resized stays as it was") {
    for (std::size_t size : {std::size_t{1000}, std::size_t{100000}, std::size_t{2000000}}) {
        pool_guard pool({.limit_bytes = std::size_t{6} << 20});
        void *object = toft_pool_alloc(pool, size);
        fill(object, size);
        for (std::size_t impossible : {std::size_t{7} << 20, SIZE_MAX, SIZE_MAX / 2 + 2}) {
            CHECK(toft_pool_resize(pool, object, size, impossible) == nullptr);
            CHECK(toft_pool_resize_any(pool, object, impossible) == nullptr);
        }
        CHECK(is_filled(object, size));
        toft_pool_free(pool, object, size);
    }
}

TEST_CASE("shrinking without a size never fails") {
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c()});
    void *small = toft_pool_alloc(pool, 20000), *large = toft_pool_alloc(pool, 900000);
    fill(small, 20000);
    fill(large, 900000);
    upstream.fail_at(1, true);
    for (std::size_t size : {30000u, 10000u, 3000u, 700u, 50u, 8u})
        while (toft_pool_alloc(pool, size) != nullptr) {}
    for (std::size_t size : {9000u, 3000u, 700u, 50u, 0u}) {
        small = toft_pool_resize_any(pool, small, size);
        large = toft_pool_resize_any(pool, large, size);
        REQUIRE((small != nullptr && large != nullptr));
        CHECK((is_filled(small, size) && is_filled(large, size)));
    }
    toft_pool_free_any(pool, small);
    toft_pool_free_any(pool, large);
    upstream.work_again();
}

TEST_CASE("calloc's bytes are zero, whatever was there before") {
    if (too_long_for_tsan()) return; // one thread
    pool_guard pool;
    for (int round = 0; round < 3; round++) {
        for (std::size_t size : sizes) {
            CAPTURE(size);
            void *object = toft_pool_calloc(pool, size, 1);
            CHECK(is_zero(object, size));
            fill(object, size, 5);
            toft_pool_free(pool, object, size);
            object = toft_pool_calloc_aligned(pool, 1, size, 128);
            CHECK(reinterpret_cast<std::uintptr_t>(object) % 128 == 0);
            CHECK(is_zero(object, size));
            fill(object, size, 5);
            toft_pool_free_aligned(pool, object, size, 128);
        }
    }
    CHECK(toft_pool_calloc(pool, SIZE_MAX / 2, 3) == nullptr);
    CHECK(toft_pool_calloc_aligned(pool, 3, SIZE_MAX / 2, 16) == nullptr);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("calloc of fresh pages doesn't touch them") {
    if (!fast_build || resident_bytes() == 0) return;
    pool_guard pool;
    std::size_t before = resident_bytes();
    void *object = toft_pool_calloc(pool, 64 << 20, 1);
    CHECK(resident_bytes() <= before + (std::size_t{4} << 20));
    toft_pool_free_any(pool, object);
}

TEST_CASE("calloc of fresh runs doesn't touch them, and clears what was used before") {
    if (too_long_for_tsan()) return; // one thread
    pool_guard pool;
    constexpr std::size_t size = 500'000;
    std::vector<void *> objects;
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 100; i++) objects.push_back(toft_pool_calloc(pool, size, 1));
    if (fast_build && before != 0) CHECK(resident_bytes() <= before + (std::size_t{8} << 20));
    for (int round = 0; round < 3; round++) {
        for (void *&object : objects) {
            REQUIRE(is_zero(object, size));
            std::memset(object, 5, size);
            toft_pool_free_any(pool, object);
            if (round == 1) toft_pool_trim(pool);
            object = toft_pool_calloc(pool, size, 1);
        }
        for (void *object : objects) toft_pool_free_any(pool, object);
        for (void *&object : objects) object = toft_pool_calloc(pool, size, 1);
    }
    for (void *object : objects) toft_pool_free_any(pool, object);
}

TEST_CASE("a string's copy") {
    pool_guard pool;
    std::string text(500, 'y');
    for (std::size_t length : {0u, 1u, 20u, 500u}) {
        char *copy = toft_pool_strdup(pool, text.substr(0, length).c_str());
        CHECK(copy == text.substr(0, length));
        toft_pool_free(pool, copy, length + 1);
    }
    CHECK(live_bytes(pool) == 0);
}
