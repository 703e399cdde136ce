// SPDX-License-Identifier: MIT
// <toft/reap.h>: allocation, frees, large objects, limits, statistics.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include <toft/reap.hpp>

#include "support/aligned.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"
#include "support/used.hpp"

using namespace toft_test;

TEST_CASE("what was freed last is handed out first, to its class alone") {
    if (tracked()) return; // a slot is reused late then
    reap_guard reap;
    void *one = toft_reap_alloc(reap, 24, 8);
    void *two = toft_reap_alloc(reap, 20, 8);
    toft_reap_free(reap, one, 24, 8);
    toft_reap_free(reap, two, 20, 8);
    CHECK(toft_reap_alloc(reap, 32, 8) != two);
    CHECK(toft_reap_alloc(reap, 24, 16) != two);
    CHECK(toft_reap_alloc(reap, 17, 4) == two);
    CHECK(toft_reap_alloc(reap, 24, 1) == one);
}

TEST_CASE("sizes known at run time go the same way") {
    reap_guard reap;
    std::vector<void *> objects;
    std::size_t before_bytes = 0;
    for (int round = 0; round < 3; round++) {
        for (std::size_t size = 0; size < 2000; size++)
            objects.push_back(toft_reap_alloc(reap, size, 8));
        std::size_t used_bytes = toft_reap_get_stats(reap).used_bytes;
        if (round != 0 && !tracked()) CHECK(used_bytes == before_bytes);
        before_bytes = used_bytes;
        for (std::size_t size = objects.size(); size-- != 0;)
            toft_reap_free(reap, objects[size], size, 8);
        objects.clear();
    }
}

TEST_CASE("impossible requests get NULL, and change nothing") {
    reap_guard reap;
    volatile std::size_t enormous = SIZE_MAX, uneven = 24, none = 0;
    for (int round = 0; round < 2; round++) {
        CHECK(toft_reap_alloc(reap, enormous, 8) == nullptr);
        CHECK(toft_reap_alloc(reap, enormous / 2, 8) == nullptr);
        CHECK(toft_reap_alloc(reap, 8, enormous / 2 + 1) == nullptr);
        CHECK(toft_reap_alloc(reap, 8, uneven) == nullptr);
        CHECK(toft_reap_alloc(reap, 8, none) == nullptr);
        CHECK(toft_reap_alloc_array(reap, enormous / 2, 3, 8) == nullptr);
        CHECK(toft_reap_alloc(reap, 8, 8) != nullptr);
    }
    toft_reap_free(reap, nullptr, 24, 8);
}

TEST_CASE("new and delete by type") {
    struct alignas(64) wide {
        char bytes[100];
    };
    reap_guard reap;
    wide *w = toft_reap_new(reap, wide);
    REQUIRE(is_aligned(w, 64));
    int *i = toft_reap_new(reap, int);
    *i = 7;
    toft_reap_delete(reap, w);
    toft_reap_delete(reap, i);
    if (!tracked()) CHECK(toft_reap_get_stats(reap).used_bytes < 300);
}

TEST_CASE("reap: a constructor that throws leaves nothing behind") {
    struct plain { // trivially destructible, and yet its constructor may throw
        char bytes[100];
        plain() { throw std::runtime_error("always"); }
    };
    toft::reap reap;
    CHECK_THROWS_AS((void)reap.make<plain>(), std::runtime_error);
    CHECK(is_empty(reap));
}

TEST_CASE("a limit holds for slots and large objects together") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c(), .limit_bytes = 300000});
    void *large = toft_reap_alloc(reap, 200000, 8);
    REQUIRE(large != nullptr);
    CHECK(toft_reap_alloc(reap, 200000, 8) == nullptr);
    while (toft_reap_alloc(reap, 1000, 8) != nullptr) {}
    CHECK(upstream.peak_bytes <= 300000);
    toft_reap_free(reap, large, 200000, 8);
    CHECK(toft_reap_alloc(reap, 1000, 8) != nullptr);
}

TEST_CASE("reset with freed slots outstanding hands out none of them") {
    reap_guard reap;
    for (int round = 0; round < 3; round++) {
        std::vector<void *> objects;
        for (int i = 0; i < 1000; i++) {
            objects.push_back(toft_reap_alloc(reap, 40, 8));
            std::memset(objects.back(), i, 40);
        }
        std::vector<void *> sorted = objects;
        std::sort(sorted.begin(), sorted.end());
        CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
        for (std::size_t i = 0; i < objects.size(); i += 2) toft_reap_free(reap, objects[i], 40, 8);
        if (round == 1)
            toft_reap_release(reap);
        else
            toft_reap_reset(reap);
        CHECK(toft_reap_get_stats(reap).free_bytes == 0);
    }
}

TEST_CASE("churn has flat memory") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    std::vector<void *> live;
    for (std::size_t i = 0; i < 500; i++) live.push_back(toft_reap_alloc(reap, 8 + i % 200, 8));
    std::size_t peak_bytes = 0;
    for (std::size_t i = 0; i < 100000; i++) {
        std::size_t at = i * 7919 % live.size();
        toft_reap_free(reap, live[at], 8 + at % 200, 8);
        live[at] = toft_reap_alloc(reap, 8 + at % 200, 8);
        if (i == 1000) peak_bytes = upstream.peak_bytes;
    }
    if (!tracked()) CHECK(upstream.peak_bytes == peak_bytes);
    CHECK(upstream.peak_bytes <= (std::size_t(1) << 21));
}

TEST_CASE("resize keeps contents, in place within a class") {
    reap_guard reap;
    char *text = static_cast<char *>(toft_reap_resize(reap, nullptr, 0, 20, 1));
    std::memcpy(text, "0123456789", 11);
    CHECK(toft_reap_resize(reap, text, 20, 24, 1) == text);
    std::size_t size = 24;
    for (; size < 300000; size = size * 3 / 2) {
        text = static_cast<char *>(toft_reap_resize(reap, text, size, size * 3 / 2, 1));
        REQUIRE(text != nullptr);
        CHECK(std::strcmp(text, "0123456789") == 0);
        text[size * 3 / 2 - 1] = 'x';
    }
    volatile std::size_t enormous = SIZE_MAX;
    CHECK(toft_reap_resize(reap, text, size, enormous, 1) == nullptr);
    for (std::size_t no_power : {std::size_t{0}, std::size_t{3}, std::size_t{SIZE_MAX}})
        CHECK(toft_reap_resize(reap, text, size, 2 * size, no_power) == nullptr);
    CHECK(std::strcmp(text, "0123456789") == 0);
}

TEST_CASE("a large object that grows step by step moves now and then, and is counted as it is") {
    reap_guard reap;
    std::size_t size = 40000, moves = 0, steps = 0;
    auto *object = static_cast<char *>(toft_reap_alloc(reap, size, 16));
    REQUIRE(object != nullptr);
    while (size < 2000000) {
        object[size - 1] = static_cast<char>(steps);
        auto *grown = static_cast<char *>(toft_reap_resize(reap, object, size, size + 256, 16));
        REQUIRE(grown != nullptr);
        CHECK(grown[size - 1] == static_cast<char>(steps));
        if (grown != object) moves++;
        object = grown;
        size += 256;
        steps++;
        CHECK(used(reap.get()) >= size);
        CHECK(used(reap.get()) < size + 1000);
    }
    CHECK(moves < 10); // of 7,657
    auto *shorter = static_cast<char *>(toft_reap_resize(reap, object, size, size - 5000, 16));
    CHECK(shorter == object);
    if (address_sanitizer) CHECK(poisoned(shorter + size - 5000));
    auto *half = static_cast<char *>(toft_reap_resize(reap, object, size - 5000, 100000, 16));
    CHECK(half != object);
    CHECK(used(reap.get()) < 101000);
    toft_reap_free(reap, half, 100000, 16);
    CHECK(is_empty(reap.get()));
}

TEST_CASE("a moved reap goes on with its lists and large objects") {
    counting_upstream upstream;
    toft_reap from = TOFT_REAP_INIT;
    toft_reap_options options = {.upstream = upstream.c()};
    toft_reap_init(&from, &options);
    void *freed = toft_reap_alloc(&from, 24, 8);
    auto *kept = static_cast<char *>(toft_reap_alloc(&from, 100, 8));
    void *large = toft_reap_alloc(&from, 100000, 8);
    std::strcpy(kept, "still there");
    toft_reap_free(&from, freed, 24, 8);
    reap_guard to;
    toft_reap_move(to, &from);
    CHECK(toft_reap_get_stats(&from).reserved_bytes == 0);
    CHECK(std::strcmp(kept, "still there") == 0);
    toft_reap_free(to, large, 100000, 8);
    toft_reap_free(to, kept, 100, 8);
    if (!tracked()) CHECK(toft_reap_alloc(to, 24, 8) == freed);
    toft_reap_release(&from);
    toft_reap_release(to);
    CHECK(upstream.live_blocks() == 0);
}

TEST_CASE("a reap that is moved to itself stays as it is") {
    reap_guard reap;
    auto *kept = static_cast<char *>(toft_reap_alloc(reap, 100, 8));
    void *large = toft_reap_alloc(reap, 100000, 8);
    std::strcpy(kept, "still there");
    void *freed = toft_reap_alloc(reap, 24, 8);
    toft_reap_free(reap, freed, 24, 8);
    toft_reap_stats before = toft_reap_get_stats(reap);
    toft_reap *self = reap;
    toft_reap_move(self, self);
    CHECK(toft_reap_get_stats(reap).used_bytes == before.used_bytes);
    CHECK(toft_reap_get_stats(reap).reserved_bytes == before.reserved_bytes);
    CHECK(std::strcmp(kept, "still there") == 0);
    if (!tracked()) CHECK(toft_reap_alloc(reap, 24, 8) == freed);
    toft_reap_free(reap, large, 100000, 8);
}

TEST_CASE("nothing is used once all is freed, under a tool too") {
    reap_guard reap;
    std::vector<void *> objects;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10; i++) objects.push_back(toft_reap_alloc(reap, 80, 8));
        toft_reap_stats full = toft_reap_get_stats(reap);
        CHECK(full.used_bytes >= 800);
        if (!tracked()) CHECK(full.used_bytes == 800);
        for (void *object : objects) toft_reap_free(reap, object, 80, 8);
        toft_reap_stats empty = toft_reap_get_stats(reap);
        CHECK(empty.used_bytes == 0);
        CHECK(empty.free_bytes == full.used_bytes + full.free_bytes);
        objects.clear();
    }
    CHECK(toft_reap_get_stats(reap).high_water_bytes >= 800);
}

TEST_CASE("a first buffer serves before any upstream call") {
    if (tracked()) return; // objects take more room then
    counting_upstream upstream;
    alignas(16) std::array<unsigned char, 1000 + TOFT_FIRST_BUFFER_OVERHEAD_BYTES> buffer;
    reap_guard reap({.upstream = upstream.c(),
                     .first_buffer = buffer.data(),
                     .first_buffer_bytes = buffer.size()});
    for (int i = 0; i < 10000; i++) {
        void *object = toft_reap_alloc(reap, 1000, 8); // its slot has 1024 bytes
        if (i == 0) CHECK(upstream.calls == 1);
        toft_reap_free(reap, object, 1000, 8);
        toft_reap_free(reap, toft_reap_alloc(reap, 100, 8), 100, 8);
    }
    CHECK(upstream.calls == 1);
}

TEST_CASE("the arena of a reap serves what is never freed alone") {
    reap_guard reap;
    toft_arena *arena = toft_reap_arena(reap);
    char *text = toft_arena_strdup(arena, "text");
    static int runs;
    runs = 0;
    REQUIRE(toft_arena_defer(arena, [](void *) { runs++; }, nullptr));
    void *object = toft_reap_alloc(reap, 24, 8);
    toft_reap_free(reap, object, 24, 8);
    CHECK(std::strcmp(text, "text") == 0);
    toft_reap_reset(reap);
    CHECK(runs == 1);
}

TEST_CASE("a first buffer serves a large object to its last byte, and none that is longer") {
    if (tracked()) return; // objects take more room then
    alignas(16) static std::array<unsigned char, 50000> buffer;
    const unsigned char *end = buffer.data() + buffer.size();
    bool reached_end = false, was_too_long = false;
    for (std::size_t size = 49000; size < buffer.size(); size += 8) {
        counting_upstream upstream;
        reap_guard reap({.upstream = upstream.c(),
                         .first_buffer = buffer.data(),
                         .first_buffer_bytes = buffer.size()});
        auto *object = static_cast<unsigned char *>(toft_reap_alloc(reap, size, 16));
        REQUIRE(object != nullptr);
        if (upstream.calls == 0) CHECK(object + size <= end);
        if (upstream.calls == 0 && object + size == end) reached_end = true;
        if (upstream.calls != 0) was_too_long = true;
    }
    CHECK(reached_end);
    CHECK(was_too_long);
}
