// SPDX-License-Identifier: MIT
// Reuse in the order of memory, in a large reap some of whose objects live on.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"
#include "support/scatter.hpp"

using namespace toft_test;

namespace {

using objects_of_sizes = std::vector<std::pair<char *, std::size_t>>;

// Objects of a few sizes, in the order of their allocation.
objects_of_sizes fill(toft_reap *reap, std::size_t count) {
    objects_of_sizes objects;
    for (std::size_t i = 0; i < count; i++) {
        std::size_t size = 16 + i % 7 * 24;
        objects.emplace_back(static_cast<char *>(toft_reap_alloc(reap, size, 8)), size);
        REQUIRE(objects.back().first != nullptr);
        std::memset(objects.back().first, 1, size);
    }
    return objects;
}

constexpr std::size_t many = 150000; // so many that a reap keeps them in the order of memory
constexpr std::size_t survivors = 100;

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

// An object that is filled with something of its address.
struct stamped {
    unsigned char *memory;
    std::size_t size, alignment;

    unsigned char stamp() const {
        return static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(memory) / 8 % 251);
    }
};

stamped make_stamped(toft_reap *reap, std::size_t size, std::size_t alignment) {
    stamped made = {static_cast<unsigned char *>(toft_reap_alloc(reap, size, alignment)), size,
                    alignment};
    REQUIRE(made.memory != nullptr);
    REQUIRE(reinterpret_cast<std::uintptr_t>(made.memory) % alignment == 0);
    std::memset(made.memory, made.stamp(), size);
    return made;
}

void free_stamped(toft_reap *reap, const std::vector<stamped> &objects) {
    for (const stamped &object : objects) {
        for (std::size_t i = 0; i < object.size; i++)
            if (object.memory[i] != object.stamp()) FAIL("overwritten");
        toft_reap_free(reap, object.memory, object.size, object.alignment);
    }
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
        // Each class alone is in order: classes come in runs.
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

TEST_CASE("a reap whose sizes change again and again holds little more than what lives at once") {
    if (tracked()) return;
    constexpr std::size_t phase_bytes = std::size_t{6} << 20;
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    const std::pair<std::size_t, std::size_t> shapes[] = {
        {64, 8},  {256, 8}, {96, 16},  {512, 8},  {32, 8}, {1000, 8},
        {128, 8}, {48, 16}, {100, 64}, {5000, 8}, {8, 8},  {2048, 2048}};
    std::vector<stamped> kept;
    for (int cycle = 0; cycle < 3; cycle++) {
        for (auto [size, alignment] : shapes) {
            std::vector<stamped> objects;
            for (std::size_t i = 0; i < phase_bytes / size; i++)
                objects.push_back(make_stamped(reap, size, alignment));
            free_stamped(reap, kept);
            scatter(objects, objects.size());
            auto tenth = objects.begin() + static_cast<std::ptrdiff_t>(objects.size() / 10);
            kept.assign(objects.begin(), tenth);
            objects.erase(objects.begin(), tenth);
            free_stamped(reap, objects);
        }
    }
    CHECK(upstream.live_bytes <= 5 * phase_bytes);
    free_stamped(reap, kept);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);
}

TEST_CASE("at its limit, a large reap hands out what was freed") {
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
                void *object = toft_reap_alloc(reap, size, 8);
                if (object == nullptr) continue;
                objects.emplace_back(static_cast<char *>(object), size);
                std::memset(object, 1, size);
            }
            CHECK(objects.size() > 89000);
            for (auto [object, size] : objects) REQUIRE(object[size - 1] == 1);
        }
    }
}

TEST_CASE("so it does where it has put lists aside, and then finds no memory for its holes") {
    if (tracked()) return;
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    std::vector<char *> objects;
    for (std::size_t i = 0; i < many; i++)
        objects.push_back(static_cast<char *>(toft_reap_alloc(reap, 64, 8)));
    scatter(objects, many);
    const std::size_t freed = many / 4;
    for (std::size_t i = 0; i < freed; i++) toft_reap_free(reap, objects[i], 64, 8);
    REQUIRE(reap.get()->order != nullptr);
    upstream.fail_at(1, true);
    while (toft_arena_alloc(toft_reap_arena(reap), 1000, 8) != nullptr) {}
    while (toft_arena_alloc(toft_reap_arena(reap), 8, 8) != nullptr) {}
    std::size_t again = 0;
    while (toft_reap_alloc(reap, 64, 8) != nullptr) again++;
    CHECK(again == freed);
}

// Also where one map of its holes ends and the next begins: an object lies across.
TEST_CASE("a chunk may be larger than a map of holes") {
    if (tracked()) return;
    std::vector<unsigned char> buffer(std::size_t{80} << 20);
    reap_guard reap({.first_buffer = buffer.data(), .first_buffer_bytes = buffer.size()});
    const auto make = [&reap](std::size_t size) {
        char *object = static_cast<char *>(toft_reap_alloc(reap, size, 8));
        for (std::size_t at : {std::size_t(0), size - sizeof object})
            std::memcpy(object + at, &object, sizeof object);
        return object;
    };
    objects_of_sizes objects;
    std::size_t used_bytes = 0;
    for (std::size_t i = 0; used_bytes < buffer.size() / 5 * 6; i++) { // some behind the buffer
        std::size_t size = 40 + i % 5 * 16;
        objects.emplace_back(make(size), size);
        used_bytes += size;
    }
    const std::size_t freed = objects.size() / 16 * 15;
    for (int round = 0; round < 3; round++) {
        scatter(objects, objects.size());
        for (std::size_t i = 0; i < freed; i++)
            toft_reap_free(reap, objects[i].first, objects[i].second, 8);
        for (std::size_t i = 0; i < freed; i++) objects[i].first = make(objects[i].second);
        // Before each map of holes may be a padding of 8 bytes.
        CHECK(toft_reap_get_stats(reap).used_bytes - used_bytes <= 16 * std::size_t{8});
    }
    for (auto [object, size] : objects)
        for (std::size_t at : {std::size_t(0), size - sizeof object})
            REQUIRE(std::memcmp(object + at, &object, sizeof object) == 0);
}

TEST_CASE("the most that a reap held doesn't count its maps of holes") {
    if (tracked()) return;
    reap_guard reap;
    void *large = toft_reap_alloc(reap, 100000, 8);
    auto objects = fill(reap, many);
    for (int round = 0; round < 3; round++) replace_most(reap, objects);
    toft_reap_stats stats = toft_reap_get_stats(reap);
    std::size_t high_water_bytes = stats.high_water_bytes;
    CHECK(high_water_bytes >= stats.used_bytes + stats.free_bytes);
    toft_reap_free(reap, large, 100000, 8);
    CHECK(toft_reap_get_stats(reap).high_water_bytes == high_water_bytes);
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
