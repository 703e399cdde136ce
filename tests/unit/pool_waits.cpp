// SPDX-License-Identifier: MIT
// What may take the system long keeps no other thread waiting.
#include <doctest/doctest.h>

#include <barrier>
#include <cstddef>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "pool_inside.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"

using namespace toft_test;

namespace {

// A thread that stops where it has begun to make a block for a pool.
struct growing_thread {
    static inline const toft_pool *grown;
    static inline thread_local bool grows = false;
    static inline std::binary_semaphore growing{0}, go{0};
    std::thread thread;

    explicit growing_thread(toft_pool *pool) {
        grown = pool;
        toft_fake_watch_locks(stop_where_it_grows, nullptr);
        thread = std::thread([pool] {
            constexpr std::size_t size = 4000;
            grows = true;
            while (grows) fill(pool, 9, size);
        });
        growing.acquire();
    }
    growing_thread(const growing_thread &) = delete;
    growing_thread &operator=(const growing_thread &) = delete;
    ~growing_thread() {
        go.release();
        thread.join();
        toft_fake_watch_locks(nullptr, nullptr);
    }

    static void stop_where_it_grows(toft_os_mutex *lock) {
        if (!grows || !toft_test_is_growth(grown, lock)) return;
        grows = false;
        growing.release();
        go.acquire();
    }
};

// A thread that has freed what it had, and does nothing since.
struct resting_thread {
    std::binary_semaphore rests{0}, go{0};
    std::thread thread;

    explicit resting_thread(const std::function<void()> &work) {
        thread = std::thread([this, work] {
            work();
            rests.release();
            go.acquire();
        });
        rests.acquire();
    }
    ~resting_thread() {
        go.release();
        thread.join();
    }
};

std::size_t locks_held = 0; // by the test's only thread
std::size_t returned_bytes = 0;

} // namespace

TEST_CASE("while a thread makes a block, others take what is free") {
    if (tracked()) return; // then no thread keeps anything
    pool_guard pool;
    auto objects = fill(pool, 3000, 100);
    for (std::size_t i = 0; i < objects.size(); i++)
        if (i % 100 != 0) toft_pool_free(pool, objects[i], 100);
    toft_pool_trim(pool); // into spans, which stay
    growing_thread grower(pool);
    free_all(pool, fill(pool, 2000, 100), 100);
}

TEST_CASE("a step of decay doesn't wait for a thread that makes a block") {
    if (tracked()) return;
    pool_guard pool;
    work_for_seconds(pool, 1);
    resting_thread rest([&] { fill_and_free(pool, 1 << 20, 100); });
    CHECK(toft_pool_get_stats(pool).cached_bytes > 900 << 10);
    growing_thread grower(pool);
    work_for_seconds(pool, 10);
    CHECK(toft_pool_get_stats(pool).cached_bytes < 200 << 10);
}

TEST_CASE("memory goes back to the system while nothing is locked") {
    if (tracked()) return;
    pool_guard pool;
    toft_fake_watch_locks([](toft_os_mutex *) { locks_held++; },
                          [](toft_os_mutex *) { locks_held--; });
    toft_fake_watch_returns([](std::size_t bytes) {
        CHECK(locks_held == 0);
        returned_bytes += bytes;
    });
    auto returned = [] { return std::exchange(returned_bytes, 0); };

    fill_and_free(pool, 128 << 20, 1000);
    CHECK(returned() > 40 << 20); // too much to lie idle

    auto objects = fill(pool, 64 << 10, 1000);
    for (std::size_t i = 0; i < objects.size(); i++)
        if (i % 500 != 0) toft_pool_free(pool, objects[i], 1000);
    returned();
    work_for_seconds(pool, 10);
    CHECK(returned() > 20 << 20); // holes
    for (std::size_t i = 0; i < objects.size(); i += 500) toft_pool_free(pool, objects[i], 1000);
    toft_pool_trim(pool);
    CHECK(returned() > 0);

    void *large = toft_pool_alloc(pool, 100 << 20);
    toft_pool_free(pool, large, 100 << 20);
    CHECK(returned() >= 100 << 20);
    toft_fake_watch_returns(nullptr);
    toft_fake_watch_locks(nullptr, nullptr);
}

// Spans that are taken from the heap while the class isn't locked are still used up or given back.
TEST_CASE("what threads take at the same moment goes back when they have ended") {
    if (tracked()) return;
    for (int i = 0; i < 300; i++) {
        pool_guard pool;
        std::barrier<> start(4);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; t++)
            threads.emplace_back([&] {
                start.arrive_and_wait();
                for (std::size_t size = 16; size <= 1024; size *= 2)
                    toft_pool_free(pool, toft_pool_alloc(pool, size), size);
            });
        for (auto &thread : threads) thread.join();
        toft_pool_trim(pool);
        CHECK(toft_pool_get_stats(pool).reserved_bytes == 0);
    }
}
