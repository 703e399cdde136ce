// SPDX-License-Identifier: MIT
// malloc's shape over the shared pool, under names of its own.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <toft/malloc.h>

#include "malloc/door.h"
#include "support/build.hpp"
#include "support/last_words.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

TEST_CASE("the table of places is that of classes, plus one") {
    for (std::size_t size = 0; size <= TOFT_DOOR_FAST_MAX; size++)
        CHECK(toft_door_places[size] == toft_pool_class_table[(size + 7) / 8] + 1);
}

TEST_CASE("toft_malloc, toft_calloc, toft_realloc and toft_free do what malloc's do") {
    std::size_t live_before = live_bytes(toft_pool_shared());
    errno = 77;
    for (std::size_t size : {0u, 1u, 8u, 9u, 100u, 1024u, 1025u, 30000u, 40000u, 3000000u}) {
        auto *object = static_cast<char *>(toft_malloc(size));
        REQUIRE(object != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(object) % (size > 8 ? 16 : 8) == 0);
        CHECK(toft_malloc_usable_size(object) >= size);
        std::memset(object, 'x', size);
        object = static_cast<char *>(toft_realloc(object, size * 2 + 1));
        CHECK((size == 0 || (object[0] == 'x' && object[size - 1] == 'x')));
        toft_free(object);
        auto *zeros = static_cast<char *>(toft_calloc(size, 3));
        for (std::size_t i = 0; i < size * 3; i++)
            if (zeros[i] != 0) FAIL("calloc's bytes aren't zero");
        toft_free_sized(zeros, size * 3);
        void *aligned = toft_aligned_alloc(256, size);
        CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0);
        toft_free_aligned_sized(aligned, 256, size);
    }
    toft_free(nullptr);
    void *made = toft_realloc(nullptr, 0);
    CHECK(made != nullptr);
    CHECK(toft_realloc(made, 0) == nullptr); // it is freed
    CHECK(errno == 77);
    CHECK(live_bytes(toft_pool_shared()) == live_before);
}

TEST_CASE("failure is NULL, and errno says why") {
    auto fails_with = [](int expected, auto call) {
        errno = 0;
        CHECK(call() == nullptr);
        CHECK(errno == expected);
    };
    const std::size_t too_much = static_cast<std::size_t>(PTRDIFF_MAX) + 1;
    fails_with(ENOMEM, [&] { return toft_malloc(too_much); });
    fails_with(ENOMEM, [&] { return toft_calloc(too_much / 2, 3); });
    fails_with(ENOMEM, [&] { return toft_calloc(SIZE_MAX, SIZE_MAX); });
    fails_with(ENOMEM, [&] { return toft_aligned_alloc(64, too_much); });
    fails_with(EINVAL, [&] { return toft_aligned_alloc(48, 10); });
    fails_with(EINVAL, [&] { return toft_aligned_alloc(0, 10); });
    auto *object = static_cast<char *>(toft_malloc(10));
    object[9] = 'x';
    fails_with(ENOMEM, [&] { return toft_realloc(object, too_much); });
    CHECK(object[9] == 'x');
    toft_free(object);
}

TEST_CASE("objects are the shared pool's: either's functions free them") {
    void *object = toft_malloc(100);
    CHECK(toft_pool_of(object) == toft_pool_shared());
    toft_pool_free_any(toft_pool_shared(), object);
    toft_free(toft_pool_alloc(toft_pool_shared(), 100));
}

TEST_CASE("toft_malloc_trim says whether there was anything to give") {
    std::vector<void *> objects;
    for (int i = 0; i < 20000; i++) objects.push_back(toft_malloc(500));
    for (void *object : objects) toft_free(object);
    CHECK(toft_malloc_trim(0) == 1);
    CHECK(toft_malloc_trim(0) == 0);
    if (tracked()) return;
    for (int i = 0; i < 40; i++) objects[static_cast<std::size_t>(i)] = toft_malloc(500);
    for (std::size_t i = 1; i < 39; i++) toft_free(objects[i]); // nothing but a cache has these
    CHECK(toft_malloc_trim(0) == 1);
    CHECK(toft_malloc_trim(0) == 0);
    toft_free(objects[0]);
    toft_free(objects[39]);
}

TEST_CASE("what is no object of ours is found when it is freed") {
    for (bool freed_before : {false, true}) {
        const auto free_wrongly = [=] {
            static char memory[100];
            void *object = freed_before ? toft_malloc(100000) : memory;
            if (freed_before) toft_free(object);
            toft_free(object);
        };
        expect_one_line("): freed before, or never allocated by toft_malloc", free_wrongly);
        expect_one_line("toft: toft_free(0x", free_wrongly);
    }
}
