// SPDX-License-Identifier: MIT
// The system's mappings are bounded by the bytes held, whatever the number of objects: a process
// may have some 65,000, and then neither threads nor malloc get memory.
#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include <toft/pool.h>
#include <toft/reap.h>

#include "support/build.hpp"
#include "support/mappings.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t count = fast_build ? 140000 : 7000;

// Two for each block of 4 MiB, and what the program itself may map meanwhile.
std::size_t most_mappings(std::size_t held_bytes) { return 2 * (held_bytes >> 22) + 100; }

void check_that_others_get_memory() {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    CHECK(ran);
    void *block = std::malloc(std::size_t{1} << 22); // a mapping of its own
    CHECK(block != nullptr);
    std::free(block);
}

// Makes objects of so many bytes, then frees every other one: mappings stay few. Frees the rest.
template <class Make, class Free>
void check_mappings(std::size_t bytes_each, Make make, Free free) {
    std::size_t before = mapping_count();
    std::size_t most = before + most_mappings(count * bytes_each);
    for (std::size_t i = 0; i < count; i++) REQUIRE(make(i));
    CHECK(mapping_count() <= most);
    for (std::size_t i = 0; i < count; i += 2) free(i);
    CHECK(mapping_count() <= most);
    check_that_others_get_memory();
    for (std::size_t i = 1; i < count; i += 2) free(i);
    toft_trim();
    if (!thread_sanitizer) CHECK(mapping_count() <= before + 100); // it maps memory of its own
}

} // namespace

TEST_CASE("140,000 arenas, every other one released, leave mappings to others") {
    std::vector<toft_arena> arenas(count, toft_arena{});
    check_mappings(
        std::size_t{64} << 10,
        [&](std::size_t i) { return toft_arena_alloc(&arenas[i], 100, 8) != nullptr; },
        [&](std::size_t i) { toft_arena_release(&arenas[i]); });
}

TEST_CASE("140,000 large objects of a pool, every other one freed, leave mappings to others") {
    pool_guard pool;
    std::vector<void *> objects(count);
    check_mappings(
        std::size_t{44} << 10,
        [&](std::size_t i) { return (objects[i] = toft_pool_alloc(pool, 40000)) != nullptr; },
        [&](std::size_t i) { toft_pool_free(pool, objects[i], 40000); });
}

TEST_CASE("many large objects of a reap, every other one freed, leave mappings to others") {
    toft_reap reap = TOFT_REAP_INIT;
    std::vector<void *> objects(count);
    check_mappings(
        std::size_t{64} << 10,
        [&](std::size_t i) { return (objects[i] = toft_reap_alloc(&reap, 40000, 8)) != nullptr; },
        [&](std::size_t i) { toft_reap_free(&reap, objects[i], 40000, 8); });
    toft_reap_release(&reap);
}

TEST_CASE("large objects of mixed sizes waste little address space") {
    pool_guard pool;
    std::vector<void *> objects;
    std::size_t asked_bytes = 0;
    for (std::size_t i = 0; i < 3000; i++) {
        std::size_t size = 33000 + i * 7919 % 480000;
        objects.push_back(toft_pool_alloc(pool, size));
        REQUIRE(objects.back() != nullptr);
        asked_bytes += size;
    }
    toft_pool_stats stats = toft_pool_get_stats(pool);
    CHECK(stats.live_bytes <= asked_bytes + asked_bytes / 8);
    CHECK(stats.reserved_bytes <= asked_bytes + asked_bytes / 5 + (std::size_t{4} << 20));
    for (std::size_t i = 0; i < 3000; i++)
        toft_pool_free(pool, objects[i], 33000 + i * 7919 % 480000);
    CHECK(toft_pool_get_stats(pool).live_bytes == 0);
    toft_pool_trim(pool);
    CHECK(toft_pool_get_stats(pool).reserved_bytes <= std::size_t{2} << 20);
}
