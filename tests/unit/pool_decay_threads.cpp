// SPDX-License-Identifier: MIT
// What threads keep, or have left behind, comes back by itself. The clock is the fake system's.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <pthread.h>
#include <random>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "pool_inside.h"
#include "support/at_once.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// Frees them in the second of the rounds in which the system runs destructors: by then a thread has
// no cache any more. In the last one ThreadSanitizer has left the thread.
struct freed_at_the_end {
    toft_pool *pool;
    std::vector<char *> objects;
    pthread_key_t key;
    int rounds = 0;

    static constexpr int last_round = 2;
    static void go_on(void *of) {
        auto *self = static_cast<freed_at_the_end *>(of);
        if (++self->rounds < last_round)
            pthread_setspecific(self->key, self);
        else
            free_all(self->pool, self->objects, 64);
    }
};

} // namespace

TEST_CASE("what an idle thread's cache keeps decays too") {
    if (tracked()) return;
    pool_guard pool;
    constexpr unsigned count = 16;
    std::barrier<> idle(count + 1), done(count + 1);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&, i] {
            fill_and_free(pool, mebibyte, 512);
            toft_test_set_exchanges(pool, i); // 0 as after 65,536
            idle.arrive_and_wait();
            done.arrive_and_wait();
        });
    idle.arrive_and_wait();
    std::size_t before = toft_pool_get_stats(pool).cached_bytes;
    work_for_seconds(pool, 5);
    // The magazine that each thread has in use stays its own.
    CHECK(toft_pool_get_stats(pool).cached_bytes <= count * 62 * 512 + mebibyte / 4);
    CHECK(toft_pool_get_stats(pool).cached_bytes <= before / 2);
    done.arrive_and_wait();
    for (auto &thread : threads) thread.join();
}

TEST_CASE("what threads leave behind decays too, where no other adopts it") {
    if (tracked()) return;
    pool_guard pool;
    constexpr unsigned count = 8;
    std::barrier<> all_used_it(count);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&] {
            for (std::size_t size = 16; size <= 32768; size += size / 4)
                fill_and_free(pool, 16 * size, size);
            all_used_it.arrive_and_wait();
        });
    for (auto &thread : threads) thread.join();
    CHECK(kept_bytes(pool) >= 4 * mebibyte);
    work_for_seconds(pool, 8);
    CHECK(kept_bytes(pool) <= 2 * mebibyte);
}

TEST_CASE("what a thread leaves behind that had rested decays too") {
    if (tracked()) return;
    pool_guard pool, other;
    std::barrier<> rests(2), ends(2);
    std::thread thread([&] {
        for (std::size_t size = 16; size <= 8192; size *= 2) fill_and_free(pool, 100000, size);
        rests.arrive_and_wait();
        ends.arrive_and_wait();
    });
    rests.arrive_and_wait();
    work_for_seconds(other, 4);
    CHECK(toft_pool_get_stats(pool).cached_bytes != 0); // of the magazines that it has in use
    ends.arrive_and_wait();
    thread.join();
    work_for_seconds(other, 6);
    CHECK(toft_pool_get_stats(pool).cached_bytes == 0);
}

TEST_CASE("what threads free at their very end decays too") {
    if (tracked()) return;
    pool_guard pool;
    freed_at_the_end last{pool, fill(pool, 12 * mebibyte / 64, 64), {}};
    std::shuffle(last.objects.begin(), last.objects.end(), std::mt19937(1));
    REQUIRE(pthread_key_create(&last.key, freed_at_the_end::go_on) == 0);
    std::thread([&] {
        fill_and_free(pool, 64, 64);
        pthread_setspecific(last.key, &last);
    }).join();
    REQUIRE(last.rounds == freed_at_the_end::last_round);
    CHECK(kept_bytes(pool) >= mebibyte);
    CHECK(reserved_bytes(pool) >= 8 * mebibyte); // since its slots lie scattered
    work_for_seconds(pool, 8);
    CHECK(kept_bytes(pool) <= mebibyte / 2);
    pthread_key_delete(last.key);
}

TEST_CASE("the empty magazines of a thread that freed much, and allocates it again, decay too") {
    if (tracked() || thread_sanitizer) return; // which has memory of its own beside them
    pool_guard pool;
    std::vector<void *> objects(270000);
    for (int round = 0; round < 2; round++) {
        if (round != 0)
            for (void *p : objects) toft_pool_free(pool, p, 8);
        for (void *&p : objects) p = toft_pool_alloc(pool, 8);
    }
    work_for_seconds(pool, 8);
    const std::size_t resident = resident_bytes();
    toft_pool_trim(pool);
    CHECK(resident <= resident_bytes() + mebibyte / 2 * 3); // without decay 2.1 MiB more
    for (void *p : objects) toft_pool_free(pool, p, 8);
}

TEST_CASE("what all caches may keep together is bounded, and none of it is lost for others") {
    if (tracked() || thread_sanitizer) return; // there is no cache, or it takes long
    pool_guard pool;
    constexpr unsigned count = 32; // of 2 MiB each, if there were no bound for all
    std::barrier<> freed(count + 1), done(count + 1);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&] {
            std::vector<char *> objects = fill(pool, 4 * mebibyte / 512, 512);
            free_all(pool, objects, 512);
            freed.arrive_and_wait();
            done.arrive_and_wait();
        });
    freed.arrive_and_wait();
    const std::size_t most = 32 * mebibyte + toft_pool_get_stats(pool).reserved_bytes / 8;
    CHECK(most < 2 * mebibyte * count);
    CHECK(toft_test_claimed_bytes(pool) >= most - mebibyte);
    CHECK(toft_test_claimed_bytes(pool) <= most);
    toft_pool_trim(pool);
    CHECK(toft_test_claimed_bytes(pool) == 0);
    done.arrive_and_wait();
    for (std::thread &thread : threads) thread.join();
}

TEST_CASE("a magazine that is one too many is given up") {
    if (tracked()) return;
    pool_guard pool;
    // One leaves as many full ones as there may be, and more empty ones; the other takes those.
    for (std::size_t bytes : {4 * mebibyte, mebibyte / 2})
        std::thread([&] { fill_and_free(pool, bytes, 512); }).join();
    CHECK(toft_test_magazines(pool) > 64);
    toft_pool_trim(pool);
    CHECK(toft_test_magazines(pool) == 0);
}

TEST_CASE("what waits for other threads is bounded, of all sizes together") {
    if (tracked() || thread_sanitizer) return; // there is no cache, or it takes long
    pool_guard pool;
    std::vector<std::vector<char *>> objects;
    std::vector<std::size_t> sizes;
    for (std::size_t size = 1100; size < 30000; size += size / 8) sizes.push_back(size);
    for (std::size_t size : sizes) objects.push_back(fill(pool, 4 * mebibyte / size, size));
    std::thread([&] {
        for (std::size_t i = 0; i < sizes.size(); i++) free_all(pool, objects[i], sizes[i]);
    }).join();
    CHECK(sizes.size() >= 24); // of 2 MiB each, if there were no bound for all
    CHECK(toft_pool_get_stats(pool).cached_bytes <= (16 + 2 + 4) * mebibyte);
}

TEST_CASE("few caches wait for new threads, however many have ended") {
    if (tracked()) return;
    pool_guard pool;
    constexpr int count = 40;
    std::barrier<> used(count);
    run_at_once(count, [&](int) {
        fill_and_free(pool, 64 << 10, 64);
        used.arrive_and_wait();
    });
    CHECK(toft_pool_get_stats(pool).caches <= 16);
}
