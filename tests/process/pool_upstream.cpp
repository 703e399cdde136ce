// SPDX-License-Identifier: MIT
// Pools whose upstream is another allocator with locks of its own, beside threads and forks.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

std::atomic<bool> forking = false;
std::atomic<unsigned> calls_in_a_fork = 0;

void note_call() {
    if (forking) calls_in_a_fork++;
}

// An upstream that notes things in the shared pool, as it may: that one is older.
void *allocate(void *, std::size_t bytes, std::size_t alignment) {
    note_call();
    toft_pool_free(toft_pool_shared(), toft_pool_alloc(toft_pool_shared(), 40), 40);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void free(void *, void *memory, std::size_t, std::size_t) {
    note_call();
    toft_pool_free(toft_pool_shared(), toft_pool_alloc(toft_pool_shared(), 40), 40);
    std::free(memory);
}
const toft_upstream noting = {allocate, free, nullptr};

void begin_fork() { forking = true; }
void end_fork() { forking = false; }

} // namespace

TEST_CASE("a thread whose first call destroys a pool takes back what others keep, as all do") {
    if (tracked()) return;
    constexpr std::size_t size = 512;
    pool_guard own;
    std::barrier<> idle(2), done(2);
    std::thread keeper([&] {
        std::vector<void *> objects(mebibyte / size);
        for (void *&p : objects) p = toft_pool_alloc(own, size);
        for (void *p : objects) toft_pool_free(own, p, size);
        idle.arrive_and_wait();
        done.arrive_and_wait();
    });
    idle.arrive_and_wait();
    toft_pool_options options = {.upstream = &noting};
    toft_pool *destroyed = toft_pool_create(&options);
    REQUIRE(destroyed != nullptr);
    REQUIRE(toft_pool_alloc(destroyed, 100) != nullptr);
    std::thread([&] {
        toft_pool_destroy(destroyed);
        toft_pool_trim(own);
    }).join();
    CHECK(toft_pool_get_stats(own).cached_bytes <= 62 * size); // the keeper's magazine in use
    done.arrive_and_wait();
    keeper.join();
}

namespace {

struct buffer {
    std::vector<char> memory = std::vector<char>(16 * mebibyte);
    std::size_t taken = 0;

    static void *allocate(void *context, std::size_t bytes, std::size_t alignment) {
        auto *self = static_cast<buffer *>(context);
        const auto begin = reinterpret_cast<std::uintptr_t>(self->memory.data());
        const std::uintptr_t taken = (begin + self->taken + alignment - 1) & ~(alignment - 1);
        if (bytes > begin + self->memory.size() - taken) return nullptr;
        self->taken = taken + bytes - begin;
        return reinterpret_cast<void *>(taken);
    }
};

} // namespace

TEST_CASE("the buffer of a pool that was destroyed is the program's again") {
    buffer whole;
    const toft_upstream upstream = {buffer::allocate, nullptr, &whole};
    toft_pool_options options = {.upstream = &upstream};
    toft_pool *pool = toft_pool_create(&options);
    for (std::size_t size : {std::size_t{100}, std::size_t{100000}, 2 * mebibyte})
        toft_pool_free(pool, toft_pool_alloc(pool, size), size);
    toft_pool_destroy(pool);
    for (std::size_t i = 0; i < whole.memory.size(); i += 8) REQUIRE(!poisoned(&whole.memory[i]));
}

// Its own handlers may hold its locks then, as POSIX advises.
TEST_CASE("an upstream is not called while a fork goes on") {
    if (thread_sanitizer) return;
    CHECK(runs_in_child([] {
        // These are the outer ones: the first before a fork, the last after it.
        CHILD_REQUIRE(pthread_atfork(begin_fork, end_fork, end_fork) == 0);
        constexpr std::size_t size = 8192, kept = 255, all = 2300;
        pool_guard own({.upstream = &noting});
        std::vector<void *> mine(all);
        std::barrier<> idle(2);
        std::thread keeper([&] {
            std::vector<void *> objects(kept);
            for (void *&p : objects) p = toft_pool_alloc(own, size);
            idle.arrive_and_wait();
            idle.arrive_and_wait();
            for (void *p : objects) toft_pool_free(own, p, size);
            idle.arrive_and_wait();
            idle.arrive_and_wait();
        });
        idle.arrive_and_wait();
        for (void *&p : mine) p = toft_pool_alloc(own, size);
        idle.arrive_and_wait();
        idle.arrive_and_wait();
        // To a little below what may lie idle: the child takes over the keeper's cache.
        while (!mine.empty() && toft_pool_get_stats(own).idle_bytes <= 15 * mebibyte) {
            toft_pool_free(own, mine.back(), size);
            mine.pop_back();
        }
        for (int i = 0; i < 3; i++)
            CHILD_REQUIRE(runs_in_child([] { CHILD_REQUIRE(calls_in_a_fork == 0); }));
        for (void *p : mine) toft_pool_free(own, p, size);
        idle.arrive_and_wait();
        keeper.join();
    }));
}

// What the child takes over of others is too much to keep, of so many.
TEST_CASE("an upstream is not called while a fork goes on, for large objects that threads keep") {
    if (thread_sanitizer) return;
    CHECK(runs_in_child([] {
        CHILD_REQUIRE(pthread_atfork(begin_fork, end_fork, end_fork) == 0);
        constexpr std::size_t size = 64 << 10, threads = 12;
        pool_guard own({.upstream = &noting});
        std::barrier<> meet(threads + 1);
        std::vector<std::thread> keepers;
        for (std::size_t i = 0; i < threads; i++)
            keepers.emplace_back([&] {
                std::vector<void *> objects(24);
                for (void *&p : objects) p = toft_pool_alloc(own, size);
                for (void *p : objects) toft_pool_free(own, p, size);
                meet.arrive_and_wait();
                meet.arrive_and_wait();
            });
        meet.arrive_and_wait();
        CHILD_REQUIRE(runs_in_child([] { CHILD_REQUIRE(calls_in_a_fork == 0); }));
        meet.arrive_and_wait();
        for (std::thread &keeper : keepers) keeper.join();
    }));
}

// Locks are held meanwhile, which those may wait for who would be asked.
TEST_CASE("an upstream that trims has nobody asked but the chunks' store") {
    if (tracked()) return;
    const auto trim_and_allocate = [](void *, std::size_t bytes, std::size_t alignment) -> void * {
        toft_trim();
        return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    const auto give = [](void *, void *memory, std::size_t, std::size_t) { std::free(memory); };
    const toft_upstream upstream = {trim_and_allocate, give, nullptr};
    pool_guard idle, pool({.upstream = &upstream});
    toft_pool_free(idle, toft_pool_alloc(idle, 4 * mebibyte), 4 * mebibyte);
    const std::size_t kept = kept_bytes(idle);
    CHECK(kept >= 4 * mebibyte);
    for (std::size_t size : {std::size_t{100}, std::size_t{100'000}, 2 * mebibyte})
        CHECK(toft_pool_alloc(pool, size) != nullptr);
    CHECK(kept_bytes(idle) == kept);
}
