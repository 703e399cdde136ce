// SPDX-License-Identifier: MIT
// <toft/reap.h>: allocation, frees, large objects, limits, statistics.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

bool is_aligned(const void *p, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

} // namespace

TEST_CASE("a size has the class of the least slot that holds it") {
    std::size_t previous_bytes = 0;
    for (unsigned size_class = 0; size_class < 48; size_class++) {
        std::size_t bytes = toft_reap_slot_bytes(size_class);
        CHECK(bytes > previous_bytes);
        CHECK(bytes <= std::max<std::size_t>(previous_bytes + 8, previous_bytes * 5 / 4));
        for (std::size_t size = previous_bytes + 1; size <= bytes; size++)
            REQUIRE(toft_reap_class(size, 8) == size_class);
        previous_bytes = bytes;
    }
    CHECK(previous_bytes == TOFT_REAP_SLOT_MAX);
    CHECK(toft_reap_class(0, 1) == 0);
    for (std::size_t alignment = 1; alignment <= TOFT_REAP_SLOT_MAX; alignment *= 2)
        for (std::size_t size = 0; size <= TOFT_REAP_SLOT_MAX; size += 1 + size / 7) {
            unsigned size_class = toft_reap_class(size, alignment);
            REQUIRE(size_class < TOFT_REAP_CLASSES);
            REQUIRE(toft_reap_slot_bytes(size_class) >= size);
            REQUIRE(toft_reap_slot_alignment(size_class) >= alignment);
        }
}

TEST_CASE("alignments are kept, of new slots and of reused ones") {
    reap_guard reap;
    for (int round = 0; round < 3; round++)
        for (std::size_t alignment = 1; alignment <= (std::size_t(1) << 20); alignment *= 2)
            for (std::size_t size : {0u, 1u, 8u, 24u, 40u, 100u, 3000u, 40000u}) {
                void *one = toft_reap_alloc(reap, size, alignment);
                void *two = toft_reap_alloc(reap, size, alignment);
                REQUIRE(one != nullptr);
                REQUIRE(two != nullptr);
                CHECK(one != two);
                CHECK(is_aligned(one, alignment));
                CHECK(is_aligned(two, alignment));
                std::memset(one, 1, size);
                std::memset(two, 2, size);
                toft_reap_free(reap, one, size, alignment);
                toft_reap_free(reap, two, size, alignment);
            }
}

TEST_CASE("what was freed last is handed out first, to its class alone") {
    if (tracked()) return; // a tool sees a use after free the longer a slot lies idle
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

TEST_CASE("a large object takes a block, and its free gives it back") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    void *small = toft_reap_alloc(reap, 100, 8);
    std::size_t blocks = upstream.live_blocks();
    std::size_t reserved_bytes = toft_reap_get_stats(reap).reserved_bytes;
    std::vector<void *> large;
    for (std::size_t i = 0; i < 5; i++) {
        large.push_back(toft_reap_alloc(reap, 50000 + i, std::size_t(8) << 2 * i));
        REQUIRE(large.back() != nullptr);
        CHECK(is_aligned(large.back(), std::size_t(8) << 2 * i));
        std::memset(large.back(), 1, 50000 + i);
    }
    CHECK(upstream.live_blocks() == blocks + 5);
    CHECK(toft_reap_get_stats(reap).chunks == upstream.live_blocks());
    CHECK(toft_reap_get_stats(reap).reserved_bytes == upstream.live_bytes);
    CHECK(toft_reap_get_stats(reap).used_bytes >= 250000);
    for (std::size_t i : {2u, 0u, 4u, 1u, 3u})
        toft_reap_free(reap, large[i], 50000 + i, std::size_t(8) << 2 * i);
    CHECK(upstream.live_blocks() == blocks);
    CHECK(toft_reap_get_stats(reap).reserved_bytes == reserved_bytes);
    CHECK(toft_reap_get_stats(reap).high_water_bytes >= 250000);
    CHECK(toft_reap_get_stats(reap).upstream_allocations == upstream.allocations);
    CHECK(toft_reap_get_stats(reap).upstream_frees == upstream.frees);
    toft_reap_free(reap, small, 100, 8);
}

TEST_CASE("a large object that fits the first buffer lies there") {
    counting_upstream upstream;
    std::vector<unsigned char> buffer(400000);
    reap_guard reap({.upstream = upstream.c(),
                     .first_buffer = buffer.data(),
                     .first_buffer_bytes = buffer.size()});
    auto in_buffer = [&](void *p) {
        return p >= buffer.data() && p < buffer.data() + buffer.size();
    };
    void *first = nullptr;
    for (int i = 0; i < 100; i++) { // the last one goes back whole
        void *large = toft_reap_alloc(reap, 300000, 16);
        if (i == 0) first = large;
        REQUIRE(in_buffer(large));
        if (!tracked()) CHECK(large == first);
        std::memset(large, i, 300000);
        toft_reap_free(reap, large, 300000, 16);
    }
    void *large = toft_reap_alloc(reap, 300000, 16);
    void *after = toft_reap_alloc(reap, 24, 8);
    toft_reap_free(reap, large, 300000, 16); // another becomes slots
    for (int i = 0; i < 9; i++) {
        void *slot = toft_reap_alloc(reap, 32768, 16);
        CHECK(in_buffer(slot));
        CHECK(is_aligned(slot, 16));
        std::memset(slot, i, 32768);
    }
    CHECK(upstream.calls == 0);
    void *elsewhere = toft_reap_alloc(reap, 300000, 64);
    CHECK_FALSE(in_buffer(elsewhere));
    CHECK(is_aligned(elsewhere, 64));
    CHECK(upstream.live_blocks() == 1);
    toft_reap_free(reap, elsewhere, 300000, 64);
    CHECK(upstream.live_blocks() == 0);
    CHECK(in_buffer(after));
}

TEST_CASE("reset and release give large objects back") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    CHECK(toft_reap_alloc(reap, 100, 8) != nullptr);
    std::size_t blocks = upstream.live_blocks();
    for (int i = 0; i < 3; i++) CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
    toft_reap_reset(reap);
    CHECK(upstream.live_blocks() == blocks);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);
    for (int i = 0; i < 3; i++) CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
    toft_reap_release(reap);
    CHECK(upstream.live_blocks() == 0);
    CHECK(toft_reap_get_stats(reap).high_water_bytes == 0);
    CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
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
    for (std::size_t size = 24; size < 300000; size = size * 3 / 2) {
        text = static_cast<char *>(toft_reap_resize(reap, text, size, size * 3 / 2, 1));
        REQUIRE(text != nullptr);
        CHECK(std::strcmp(text, "0123456789") == 0);
        text[size * 3 / 2 - 1] = 'x';
    }
    volatile std::size_t enormous = SIZE_MAX;
    CHECK(toft_reap_resize(reap, text, 300000, enormous, 1) == nullptr);
    CHECK(std::strcmp(text, "0123456789") == 0);
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

namespace {

// More than a chunk's worth of objects of a few sizes, in the order of their allocation.
std::vector<std::pair<char *, std::size_t>> fill(toft_reap *reap, std::size_t count = 20000) {
    std::vector<std::pair<char *, std::size_t>> objects;
    for (std::size_t i = 0; i < count; i++) {
        std::size_t size = 16 + i % 7 * 24;
        objects.emplace_back(static_cast<char *>(toft_reap_alloc_any(reap, size, 8)), size);
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

void free_scattered(toft_reap *reap, std::vector<std::pair<char *, std::size_t>> &objects,
                    std::size_t but) {
    for (std::size_t i = 0; i + but < objects.size(); i++)
        std::swap(objects[i], objects[(i * 7919 + 13) % (objects.size() - but)]);
    for (std::size_t i = 0; i + but < objects.size(); i++)
        toft_reap_free(reap, objects[i].first, objects[i].second, 8);
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
    toft_reap_free(large, object, 100000, 8);
    toft_reap_savepoint *point = toft_reap_save(saved);
    CHECK(free_bytes_after(saved, 0) > 1000000);
    toft_reap_rewind(saved, point);
    CHECK(toft_reap_get_stats(saved).used_bytes == 0);
    const char *text = toft_arena_strdup(toft_reap_arena(shared), "text");
    CHECK(free_bytes_after(shared, 0) > 1000000);
    CHECK(std::strcmp(text, "text") == 0);
}

namespace {

constexpr std::size_t many = 150000; // so many that a reap keeps them in the order of memory
constexpr std::size_t survivors = 100;

using objects_of_sizes = std::vector<std::pair<char *, std::size_t>>;

// How many objects lie near to the one before them.
std::size_t count_near(const objects_of_sizes &objects) {
    std::size_t near = 0;
    for (std::size_t i = 1; i < objects.size(); i++)
        if (std::abs(objects[i].first - objects[i - 1].first) < 65536) near++;
    return near;
}

// Frees all but a few, in no order, and adds others in their place.
void replace_most(toft_reap *reap, objects_of_sizes &objects) {
    free_scattered(reap, objects, survivors);
    objects.erase(objects.begin(), objects.end() - survivors);
    objects_of_sizes others = fill(reap, many - survivors);
    objects.insert(objects.begin(), others.begin(), others.end());
}

} // namespace

TEST_CASE("beside survivors, what comes next lies in the order of memory too") {
    if (tracked()) return;
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    auto objects = fill(reap, many);
    std::size_t held_bytes = 0;
    for (int round = 0; round < 5; round++) {
        replace_most(reap, objects);
        for (auto [object, size] : objects) REQUIRE(object[size - 1] == 1);
        // Of each class alone: classes come in runs.
        std::vector<objects_of_sizes> of_class(7);
        for (std::size_t i = 0; i < many - survivors; i++)
            of_class[(objects[i].second - 16) / 24].push_back(objects[i]);
        for (const auto &alike : of_class) CHECK(count_near(alike) > alike.size() / 20 * 19);
        if (round == 0) held_bytes = upstream.live_bytes;
        CHECK(upstream.live_bytes <= held_bytes + held_bytes / 8);
    }
    free_scattered(reap, objects, 0);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);
    CHECK(toft_reap_get_stats(reap).free_bytes == 0);
}

TEST_CASE("memory of one size is reused for others") {
    if (tracked()) return;
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    auto fill_with = [&](std::size_t size, std::size_t count) {
        objects_of_sizes objects;
        for (std::size_t i = 0; i < count; i++) {
            objects.emplace_back(static_cast<char *>(toft_reap_alloc(reap, size, 8)), size);
            std::memset(objects.back().first, 1, size);
        }
        return objects;
    };
    auto small = fill_with(48, 200000);
    std::size_t held_bytes = upstream.live_bytes;
    free_scattered(reap, small, survivors);
    auto larger = fill_with(96, 90000);
    CHECK(upstream.live_bytes == held_bytes);
    free_scattered(reap, larger, survivors);
    fill_with(24, 300000);
    CHECK(upstream.live_bytes == held_bytes);
}

TEST_CASE("without memory for its order, a reap hands out what was freed in any order") {
    if (tracked()) return;
    for (std::size_t left_bytes : {std::size_t(0), std::size_t(3000), std::size_t(20000)}) {
        counting_upstream upstream;
        reap_guard reap({.upstream = upstream.c(), .limit_bytes = std::size_t(12) << 20});
        objects_of_sizes objects = fill(reap, 90000);
        std::vector<void *> rest;
        while (void *object = toft_reap_alloc(reap, 1000, 8)) rest.push_back(object);
        while (toft_reap_alloc(reap, 8, 8) != nullptr) {}
        for (std::size_t freed = 0; freed < left_bytes && !rest.empty(); freed += 1000) {
            toft_reap_free(reap, rest.back(), 1000, 8);
            rest.pop_back();
        }
        for (int round = 0; round < 3; round++) {
            free_scattered(reap, objects, survivors);
            objects.erase(objects.begin(), objects.end() - survivors);
            for (std::size_t i = 0; i < 90000 - survivors; i++) {
                std::size_t size = 16 + i % 7 * 24;
                void *object = toft_reap_alloc_any(reap, size, 8);
                if (object == nullptr) continue;
                objects.emplace_back(static_cast<char *>(object), size);
                std::memset(object, 1, size);
            }
            CHECK(objects.size() > 89000);
            for (auto [object, size] : objects) REQUIRE(object[size - 1] == 1);
        }
    }
}

TEST_CASE("the arena of a reap that is kept in order can be used") {
    if (tracked()) return;
    reap_guard reap;
    auto objects = fill(reap, many);
    for (int round = 0; round < 3; round++) {
        replace_most(reap, objects);
        free_scattered(reap, objects, many / 2);
        objects.erase(objects.begin(), objects.begin() + many / 2);
        std::vector<char *> texts;
        for (int i = 0; i < 1000; i++)
            texts.push_back(toft_arena_strdup(toft_reap_arena(reap), "a text of the arena's"));
        objects_of_sizes others = fill(reap, many / 2);
        objects.insert(objects.end(), others.begin(), others.end());
        for (char *text : texts) REQUIRE(std::strcmp(text, "a text of the arena's") == 0);
        for (auto [object, size] : objects) REQUIRE(object[size - 1] == 1);
    }
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

TEST_CASE("the class and the slot of a size are the same, looked up or computed") {
    for (std::size_t alignment : {1u, 8u, 16u, 64u})
        for (std::size_t size = 0; size <= TOFT_REAP_SLOT_MAX; size++) {
            volatile std::size_t unknown = size; // keeps the look-up from being folded away
            unsigned looked_up = toft_reap_class(unknown, alignment);
            std::size_t slot = toft_reap_slot_bytes(looked_up);
            REQUIRE(slot >= size);
            REQUIRE(slot >= alignment);
            // No class below fits.
            if (looked_up % 16 == 0 || alignment > 16) continue;
            std::size_t rounded = alignment > 8 ? (size + 15) / 16 * 16 : size;
            REQUIRE((toft_reap_slot_bytes(looked_up - 1) < rounded ||
                     toft_reap_slot_bytes(looked_up - 1) % alignment != 0));
        }
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
