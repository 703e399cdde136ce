// SPDX-License-Identifier: MIT
// When the system has no more memory, all that lies idle anywhere in the process is used first.
#include <doctest/doctest.h>

#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.h>

#include "support/build.hpp"
#include "support/child.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

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

TEST_CASE("a request beyond the limit of the address space leaves what is idle") {
    if (!can_limit) return;
    CHECK(runs_in_child([] {
        limit_address_space(64 * mebibyte);
        fill_pool(100);
        std::size_t cached = toft_pool_get_stats(toft_pool_shared()).cached_bytes;
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        CHILD_REQUIRE(toft_pool_alloc(toft_pool_shared(), limit.rlim_cur) == nullptr);
        toft_arena arena = TOFT_ARENA_INIT;
        CHILD_REQUIRE(toft_arena_alloc(&arena, limit.rlim_cur, 8) == nullptr);
        CHILD_REQUIRE(toft_pool_get_stats(toft_pool_shared()).cached_bytes == cached);
        CHILD_REQUIRE(cached >= mebibyte);
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
