// SPDX-License-Identifier: MIT
// When the system has no more memory, all that lies idle anywhere in the process is used first.
#include <doctest/doctest.h>

#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.h>

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// From now on the process may have so much more address space.
void limit_address_space(std::size_t more_bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

// Allocates until there is no memory, and frees all of it.
std::size_t fill_pool(std::size_t size) {
    void **objects = nullptr;
    std::size_t count = 0;
    while (void *p = toft_pool_alloc(toft_pool_shared(), size)) {
        *static_cast<void ***>(p) = objects;
        objects = static_cast<void **>(p);
        count++;
    }
    while (objects != nullptr) {
        void *freed = objects;
        objects = *static_cast<void ***>(freed);
        toft_pool_free(toft_pool_shared(), freed, size);
    }
    return count * size;
}

std::size_t fill_arena(std::size_t size) {
    toft_arena arena = TOFT_ARENA_INIT;
    std::size_t count = 0;
    while (toft_arena_alloc(&arena, size, 8) != nullptr) count++;
    toft_arena_release(&arena);
    return count * size;
}

// Sanitizers need address space of their own.
constexpr bool can_limit = !address_sanitizer && !thread_sanitizer;

} // namespace

TEST_CASE("from pool to arena and back, under a limit of the address space") {
    if (!can_limit) return;
    CHECK(runs_in_child([] {
        limit_address_space(64 * mebibyte);
        for (int round = 0; round < 5; round++) {
            CHILD_REQUIRE(fill_pool(100) >= 48 * mebibyte);
            CHILD_REQUIRE(fill_arena(1000) >= 48 * mebibyte);
            CHILD_REQUIRE(fill_pool(5000) >= 48 * mebibyte);
            CHILD_REQUIRE(fill_pool(200000) >= 40 * mebibyte);
            CHILD_REQUIRE(fill_arena(300000) >= 40 * mebibyte);
        }
    }));
}

TEST_CASE("memory is found where little more than that is left of the address space") {
    if (!can_limit) return;
    CHECK(runs_in_child([] {
        limit_address_space(5 * mebibyte);
        CHILD_REQUIRE(fill_arena(1000) >= 3 * mebibyte);
    }));
}

TEST_CASE("a request beyond the limit of the address space leaves what is idle") {
    if (!can_limit) return;
    CHECK(runs_in_child([] {
        limit_address_space(64 * mebibyte);
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        // On a slow machine, half of what is idle may decay meanwhile: not each time.
        bool was_left = false;
        for (int attempt = 0; attempt < 20 && !was_left; attempt++) {
            fill_pool(100);
            std::size_t cached = toft_pool_get_stats(toft_pool_shared()).cached_bytes;
            CHILD_REQUIRE(toft_pool_alloc(toft_pool_shared(), limit.rlim_cur) == nullptr);
            toft_arena arena = TOFT_ARENA_INIT;
            CHILD_REQUIRE(toft_arena_alloc(&arena, limit.rlim_cur, 8) == nullptr);
            was_left = cached >= mebibyte &&
                       toft_pool_get_stats(toft_pool_shared()).cached_bytes == cached;
        }
        CHILD_REQUIRE(was_left);
    }));
}

TEST_CASE("what idle threads keep is used too, under a limit of the address space") {
    if (!can_limit) return;
    CHECK(runs_in_child([] {
        std::mutex lock;
        std::condition_variable changed;
        unsigned idle = 0;
        bool done = false;
        std::vector<std::thread> threads;
        auto keep_something = [&] {
            std::vector<void *> objects(mebibyte / 256);
            for (void *&p : objects)
                CHILD_REQUIRE((p = toft_pool_alloc(toft_pool_shared(), 256)) != nullptr);
            for (void *p : objects) toft_pool_free(toft_pool_shared(), p, 256);
            for (std::size_t bytes : {50000u, 400000u}) {
                toft_arena arena = TOFT_ARENA_INIT;
                CHILD_REQUIRE(toft_arena_alloc(&arena, bytes, 8) != nullptr);
                toft_arena_release(&arena);
            }
            std::unique_lock held(lock);
            if (++idle == 16) changed.notify_all();
            changed.wait(held, [&] { return done; });
        };
        for (int i = 0; i < 16; i++) threads.emplace_back(keep_something);
        std::unique_lock held(lock);
        changed.wait(held, [&] { return idle == 16; });
        limit_address_space(16 * mebibyte);
        // 1 MiB of each thread's pool cache, and half a MiB of its shelf.
        CHILD_REQUIRE(fill_arena(1000) >= 24 * mebibyte);
        CHILD_REQUIRE(fill_pool(256) >= 24 * mebibyte);
        done = true;
        changed.notify_all();
        held.unlock();
        for (auto &thread : threads) thread.join();
    }));
}

#if defined(__LP64__) && defined(MAP_FIXED_NOREPLACE)

namespace {

// The lowest mapping among those that the system places, or 0.
std::uintptr_t lowest_placed_address() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (std::uintptr_t begin = std::stoull(line, nullptr, 16); begin > std::uintptr_t{7} << 44)
            return begin;
    return 0;
}

} // namespace

// The map of large objects has a part for each 16 GiB of addresses.
TEST_CASE("a kept mapping that was lengthened into another part of the map serves any object") {
    if (tracked() || thread_sanitizer) return;
    constexpr std::uintptr_t part_bytes = std::uintptr_t{1} << 34;
    CHECK(runs_in_child([] {
        toft_pool *pool = toft_pool_shared();
        // One before, so that what a resize needs is there.
        void *first = toft_pool_alloc(pool, 3 * mebibyte);
        first = toft_pool_resize(pool, first, 3 * mebibyte, 40 * mebibyte);
        toft_pool_free(pool, first, 40 * mebibyte);
        // All addresses from an edge on are taken, so that the next mappings end there.
        std::uintptr_t end = lowest_placed_address() & ~std::uintptr_t{0xffff};
        std::uintptr_t edge = end / part_bytes * part_bytes - part_bytes;
        auto *at_edge = reinterpret_cast<void *>(edge);
        if (mmap(at_edge, end - edge, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                 0) != at_edge)
            return; // this system places them otherwise
        constexpr std::size_t size = 2 * mebibyte - 4096;
        void *before_edge;
        int tries = 0;
        do { // smaller holes elsewhere come first
            before_edge = toft_pool_alloc(pool, size);
        } while (reinterpret_cast<std::uintptr_t>(before_edge) > edge && ++tries < 64);
        munmap(at_edge, 64 * mebibyte);
        toft_pool_free(pool, before_edge, size);
        toft_pool_free(pool, toft_pool_alloc(pool, 3 * mebibyte), 3 * mebibyte); // lengthened
        void *aligned = toft_pool_alloc_aligned(pool, 700 << 10, 2 * mebibyte);
        CHILD_REQUIRE(toft_pool_of(aligned) == pool);
        toft_pool_free_aligned(pool, aligned, 700 << 10, 2 * mebibyte);
    }));
}

#endif
