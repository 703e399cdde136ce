// SPDX-License-Identifier: MIT
// A reap at its limit: what is free serves all sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

struct shape {
    std::size_t size, alignment;
};

// Objects of that shape until there is no room for another.
std::vector<void *> fill(toft_reap *reap, shape s) {
    std::vector<void *> objects;
    while (void *object = toft_reap_alloc(reap, s.size, s.alignment)) {
        REQUIRE(reinterpret_cast<std::uintptr_t>(object) % s.alignment == 0);
        std::memset(object, 1, s.size);
        objects.push_back(object);
    }
    return objects;
}

void free_all_but_first(toft_reap *reap, const std::vector<void *> &objects, shape s) {
    for (std::size_t i = 1; i < objects.size(); i++)
        toft_reap_free(reap, objects[i], s.size, s.alignment);
}

// An object of a known stamp, which nobody else may write over.
class stamped_objects {
  public:
    explicit stamped_objects(toft_reap *reap) : reap_(reap) {}

    bool add(shape s) {
        auto *memory = static_cast<unsigned char *>(toft_reap_alloc(reap_, s.size, s.alignment));
        if (memory == nullptr) return false;
        REQUIRE(reinterpret_cast<std::uintptr_t>(memory) % s.alignment == 0);
        std::memset(memory, ++stamp_, s.size);
        objects_.push_back({memory, s, stamp_});
        bytes_ += s.size;
        return true;
    }
    void remove(std::size_t nth) {
        const object gone = objects_[nth];
        for (std::size_t i = 0; i < gone.is.size; i++)
            if (gone.memory[i] != gone.stamp) FAIL("overwritten");
        toft_reap_free(reap_, gone.memory, gone.is.size, gone.is.alignment);
        bytes_ -= gone.is.size;
        objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(nth));
    }
    std::size_t count() const { return objects_.size(); }
    std::size_t bytes() const { return bytes_; }

  private:
    struct object {
        unsigned char *memory;
        shape is;
        unsigned char stamp;
    };
    toft_reap *reap_;
    std::deque<object> objects_;
    unsigned char stamp_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace

TEST_CASE("at its limit, a reap hands out memory of one size for any other") {
    if (tracked()) return;
    const shape shapes[] = {{8, 8},   {24, 8},   {64, 16},    {100, 8},  {200, 64},
                            {300, 8}, {1000, 8}, {2048, 512}, {5000, 8}, {32768, 8}};
    for (const std::size_t limit_bytes : {64U << 10, 1U << 20, 6U << 20}) {
        for (const shape from : shapes) {
            for (const shape to : shapes) {
                if (std::max(from.size, to.size) > limit_bytes / 64) continue; // in small chunks
                CAPTURE(limit_bytes);
                CAPTURE(from.size);
                CAPTURE(to.size);
                reap_guard reap({.limit_bytes = limit_bytes});
                free_all_but_first(reap, fill(reap, from), from);
                const std::size_t free_bytes = toft_reap_get_stats(reap).free_bytes;
                std::vector<void *> objects = fill(reap, to);
                const std::size_t used_bytes = toft_reap_get_stats(reap).used_bytes;
                CHECK(used_bytes >= free_bytes - free_bytes / 8);
                CHECK(objects.size() * to.size >= free_bytes / 2); // the rest aligns them
                CHECK(toft_reap_get_stats(reap).reserved_bytes <= limit_bytes);
            }
        }
    }
}

TEST_CASE("at its limit, a reap loses no slot, however small and wherever it lies") {
    if (tracked()) return;
    for (const std::size_t limit_bytes : {std::size_t{1} << 20, std::size_t{160045}}) {
        for (const std::size_t size : {8U, 16U, 24U, 32U, 40U, 160U, 194U}) {
            CAPTURE(limit_bytes);
            CAPTURE(size);
            reap_guard reap({.limit_bytes = limit_bytes});
            const std::vector<void *> objects = fill(reap, {size, 8});
            std::size_t freed = 0;
            for (std::size_t i = 0; i < objects.size(); i += 2, freed++)
                toft_reap_free(reap, objects[i], size, 8);
            CHECK(fill(reap, {size + 256, 8}).size() <= 1); // at the end of the last chunk
            CHECK(fill(reap, {size, 8}).size() == freed);
        }
    }
}

TEST_CASE("one chunk or a first buffer as large as the limit serves any size in each round") {
    if (tracked()) return;
    constexpr std::size_t limit_bytes = std::size_t{1} << 20;
    std::vector<unsigned char> buffer(limit_bytes);
    const toft_reap_options both[] = {{.chunk_bytes = limit_bytes, .limit_bytes = limit_bytes},
                                      {.first_buffer = buffer.data(),
                                       .first_buffer_bytes = limit_bytes,
                                       .limit_bytes = limit_bytes}};
    for (const toft_reap_options &options : both) {
        reap_guard reap(options);
        for (int round = 0; round < 3; round++) {
            free_all_but_first(reap, fill(reap, {64, 8}), {64, 8});
            CHECK(fill(reap, {128, 8}).size() > 8000);
            toft_reap_reset(reap);
        }
    }
}

TEST_CASE("at its limit, an object across two maps of holes does no harm") {
    if (tracked()) return;
    constexpr std::size_t chunk_bytes = std::size_t{100} << 20;
    reap_guard reap({.chunk_bytes = chunk_bytes, .limit_bytes = chunk_bytes + (4 << 20)});
    const std::vector<void *> objects = fill(reap, {30000, 8});
    for (std::size_t i = 1; i < objects.size(); i += 2) toft_reap_free(reap, objects[i], 30000, 8);
    stamped_objects small(reap);
    while (small.add({1000, 8})) {}
    for (int round = 0; round < 3; round++) {
        for (std::size_t i = 0; i < 19000; i++) small.remove(i % 100);
        while (small.add({static_cast<std::size_t>(100 + 50 * round), 8})) {}
        while (small.count() > 20000) small.remove(0);
    }
    CHECK(toft_reap_get_stats(reap).reserved_bytes <= chunk_bytes + (4 << 20));
}

TEST_CASE("at its limit, a hole that suits the alignment is found behind many that don't") {
    if (tracked()) return;
    reap_guard reap({.limit_bytes = std::size_t{64} << 10});
    std::vector<void *> objects;
    for (int i = 0; i < 60; i++) {
        objects.push_back(toft_reap_alloc(reap, 168, 8)); // which has 192 bytes
        REQUIRE(toft_reap_alloc(reap, 8, 8) != nullptr);
    }
    (void)fill(reap, {1000, 8});
    (void)fill(reap, {8, 8});
    for (void *object : objects) toft_reap_free(reap, object, 168, 8);
    CHECK(fill(reap, {160, 16}).size() >= 58);
}

TEST_CASE("a cache at its limit holds as much in the thousandth round as in the first") {
    if (tracked()) return;
    constexpr std::size_t limit_bytes = std::size_t{2} << 20;
    std::mt19937 random(7);
    const auto below = [&random](std::size_t n) { return random() % n; };
    reap_guard reap({.limit_bytes = limit_bytes});
    stamped_objects objects(reap);
    for (int round = 0; round < 60000; round++) {
        const shape s = {1 + below(below(8) == 0 ? 6000 : 300), std::size_t{1} << below(8)};
        const bool by_age = below(4) != 0;
        while (!objects.add(s)) objects.remove(by_age ? 0 : below(objects.count()));
    }
    const toft_reap_stats stats = toft_reap_get_stats(reap);
    CHECK(stats.used_bytes >= limit_bytes / 4 * 3);
    CHECK(stats.used_bytes >= objects.bytes());
    CHECK(stats.used_bytes + stats.free_bytes <= limit_bytes);
    while (objects.count() != 0) objects.remove(below(objects.count()));
    CHECK(toft_reap_get_stats(reap).used_bytes == 0); // as new
    CHECK(toft_reap_get_stats(reap).free_bytes == 0);
}

TEST_CASE("a large reap that is kept in the order of memory may come to its limit") {
    if (tracked()) return;
    constexpr std::size_t limit_bytes = std::size_t{12} << 20;
    std::mt19937 random(8);
    reap_guard reap({.limit_bytes = limit_bytes});
    stamped_objects objects(reap);
    const auto make = [&](std::size_t count) {
        for (; count != 0; count--) REQUIRE(objects.add({16 + random() % 100, 8}));
    };
    make(100000);
    for (int i = 0; i < 60000; i++) objects.remove(random() % 64);
    make(1000);
    CHECK(reap.get()->order != nullptr);
    CHECK(fill(reap, {1500, 8}).size() > 3000);
    while (objects.count() != 0) objects.remove(0);
    const std::size_t free_bytes = toft_reap_get_stats(reap).free_bytes;
    CHECK(fill(reap, {250, 8}).size() * 256 > free_bytes / 2); // between those of 1,500 bytes
}

TEST_CASE("a reap at its limit takes back what a large object gave back of it") {
    if (tracked()) return;
    reap_guard reap({.limit_bytes = std::size_t{1} << 20});
    void *large = toft_reap_alloc(reap, 400000, 8);
    REQUIRE(large != nullptr);
    free_all_but_first(reap, fill(reap, {200, 8}), {200, 8});
    const std::size_t before = fill(reap, {300, 8}).size();
    CHECK(before > 1500);
    toft_reap_free(reap, large, 400000, 8);
    const std::vector<void *> more = fill(reap, {100, 8});
    CHECK(more.size() > 3000);
    free_all_but_first(reap, more, {100, 8});
    CHECK(fill(reap, {1000, 8}).size() > 300);
}

TEST_CASE("a reap at its limit can be saved, rewound, moved and reset") {
    if (tracked()) return;
    constexpr std::size_t limit_bytes = std::size_t{1} << 20;
    const shape small = {200, 8}, larger = {300, 8};
    reap_guard reap({.limit_bytes = limit_bytes});
    free_all_but_first(reap, fill(reap, small), small);
    const std::size_t most = fill(reap, larger).size();
    toft_reap_reset(reap);
    void *large = toft_reap_alloc(reap, 100000, 8);
    free_all_but_first(reap, fill(reap, small), small);
    std::vector<void *> half = fill(reap, larger);
    toft_reap_free(reap, large, 100000, 8);
    for (std::size_t i = 0; i < half.size(); i += 2) toft_reap_free(reap, half[i], 300, 8);
    toft_reap_savepoint *point = toft_reap_save(reap);
    REQUIRE(point != nullptr);
    CHECK(fill(reap, {500, 8}).size() <= 250); // most that is free is older
    toft_reap_free(reap, half[1], 300, 8);
    toft_reap_rewind(reap, point);
    CHECK(fill(reap, larger).size() >= half.size() / 2);
    toft_reap moved;
    toft_reap_move(&moved, reap);
    toft_reap_free(&moved, half[3], 300, 8);
    CHECK(toft_reap_alloc(&moved, 100, 8) != nullptr);
    toft_reap_reset(&moved);
    free_all_but_first(&moved, fill(&moved, small), small);
    CHECK(fill(&moved, larger).size() >= most - 10);
    toft_reap_release(&moved);
}

TEST_CASE("without memory for its books, a full reap hands out each size again") {
    if (tracked()) return;
    for (const bool by_upstream : {false, true}) { // or since the limit is too low for them
        counting_upstream upstream;
        toft_reap_options options = {.upstream = upstream.c(), .limit_bytes = 40000};
        if (by_upstream) options = {.upstream = upstream.c(), .chunk_bytes = 65536};
        reap_guard reap(options);
        std::vector<void *> objects = {toft_reap_alloc(reap, 200, 8)};
        upstream.fail_at(by_upstream ? 1 : 0, by_upstream);
        for (void *more : fill(reap, {200, 8})) objects.push_back(more);
        while (toft_arena_alloc(toft_reap_arena(reap), 8, 8) != nullptr) {}
        free_all_but_first(reap, objects, {200, 8});
        CHECK(toft_reap_alloc(reap, 300, 8) == nullptr);
        CHECK(fill(reap, {200, 8}).size() == objects.size() - 1);
    }
}
