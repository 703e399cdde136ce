// SPDX-License-Identifier: MIT
// Threads that come and go, and patterns in which memory grows unless it is handed on.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <climits>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.hpp>

#include "support/buffer_upstream.hpp"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

unsigned fewer_when_slow(unsigned count) { return fast_build ? count : count / 10; }

std::size_t reserved(toft_pool *pool) { return toft_pool_get_stats(pool).reserved_bytes; }

// Some objects of several classes, freed again.
void churn(toft_pool *pool, unsigned rounds = 1) {
    void *objects[100];
    for (unsigned r = 0; r < rounds; r++) {
        for (std::size_t i = 0; i < 100; i++) {
            objects[i] = toft_pool_alloc(pool, 16 + i * 7);
            if (objects[i] == nullptr) std::abort();
            *static_cast<std::size_t *>(objects[i]) = i;
        }
        for (std::size_t i = 0; i < 100; i++) {
            if (*static_cast<std::size_t *>(objects[i]) != i) std::abort();
            toft_pool_free(pool, objects[i], 16 + i * 7);
        }
    }
}

} // namespace

TEST_CASE("objects outlive the thread that made them, and others free them") {
    pool_guard pool;
    std::vector<void *> objects(10000);
    for (int round = 0; round < 20; round++) {
        std::thread([&] {
            for (auto &p : objects) {
                p = toft_pool_alloc(pool, 48);
                *static_cast<void **>(p) = p;
            }
        }).join();
        churn(pool);
        std::thread([&] {
            for (auto &p : objects) {
                if (*static_cast<void **>(p) != p) std::abort();
                toft_pool_free(pool, p, 48);
            }
        }).join();
    }
    CHECK(live_bytes(pool) == 0);
    CHECK(reserved(pool) < 8 * mebibyte);
}

TEST_CASE("10,000 short threads leave memory flat, and adopt each other's caches") {
    pool_guard own;
    for (toft_pool *pool : {toft_pool_shared(), static_cast<toft_pool *>(own)}) {
        std::size_t after_some = 0;
        for (unsigned i = 0; i < fewer_when_slow(5000); i++) {
            std::thread first([=] { churn(pool); }), second([=] { churn(pool); });
            first.join();
            second.join();
            if (i == 50) after_some = reserved(pool);
        }
        CHECK(reserved(pool) <= after_some + 2 * mebibyte);
        CHECK(toft_pool_get_stats(pool).caches <= 20);
    }
}

TEST_CASE("many threads at once leave little behind") {
    pool_guard pool;
    for (int round = 0; round < 3; round++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 200; i++) threads.emplace_back([&] { churn(pool, 20); });
        for (auto &thread : threads) thread.join();
        CHECK(toft_pool_get_stats(pool).caches <= 17);
    }
    CHECK(live_bytes(pool) == 0);
    toft_pool_trim(pool);
    CHECK(toft_pool_get_stats(pool).idle_bytes == 0);
    // The records of 64 shards lie in some of its blocks, of 2 MiB; the rest of these is discarded.
    CHECK(reserved(pool) <= 16 * mebibyte);
}

namespace {

pthread_key_t rearming_key;

// A destructor that allocates and sets its key again: it runs in each of the system's rounds, both
// before the pool hears of the thread's exit and after. ThreadSanitizer ends its own record of a
// thread in the last of them: what comes after would race with everything.
void rearm(void *value) {
    static thread_local int round = 0;
    if (thread_sanitizer && ++round == PTHREAD_DESTRUCTOR_ITERATIONS) return;
    auto *pool = static_cast<toft_pool *>(value);
    churn(pool);
    pthread_setspecific(rearming_key, value);
}

} // namespace

TEST_CASE("allocation in a re-arming thread-key destructor, 2,000 threads, flat memory") {
    CHECK(runs_in_child([] {
        toft_pool *own = toft_pool_create(nullptr);
        CHILD_REQUIRE(own != nullptr);
        CHILD_REQUIRE(pthread_key_create(&rearming_key, rearm) == 0);
        for (toft_pool *pool : {toft_pool_shared(), own}) {
            std::size_t after_some = 0, live_before = live_bytes(pool);
            std::size_t caches_before = toft_pool_get_stats(pool).caches;
            for (unsigned i = 0; i < fewer_when_slow(2000); i++) {
                std::thread([=] {
                    pthread_setspecific(rearming_key, pool);
                    churn(pool);
                }).join();
                if (i == 20) after_some = reserved(pool);
            }
            CHILD_REQUIRE(reserved(pool) <= after_some + mebibyte);
            CHILD_REQUIRE(toft_pool_get_stats(pool).caches <= caches_before + 4);
            CHILD_REQUIRE(live_bytes(pool) == live_before);
        }
    }));
}

namespace {

struct last_user {
    toft_pool *pool = nullptr;
    void *kept = nullptr;
    ~last_user() {
        if (pool == nullptr) return;
        toft_pool_free(pool, kept, 100);
        churn(pool);
    }
};
thread_local last_user destroyed_at_thread_exit;

} // namespace

TEST_CASE("thread-local destructors may free and allocate") {
    pool_guard own;
    for (toft_pool *pool : {toft_pool_shared(), static_cast<toft_pool *>(own)}) {
        std::size_t live_before = live_bytes(pool);
        for (int i = 0; i < 100; i++) {
            std::thread([=] {
                destroyed_at_thread_exit.pool = pool;
                destroyed_at_thread_exit.kept = toft_pool_alloc(pool, 100);
            }).join();
        }
        CHECK(live_bytes(pool) == live_before);
    }
}

namespace {

struct at_exit {
    std::vector<void *> objects;
    ~at_exit() {
        for (void *p : objects) toft_pool_free(toft_pool_shared(), p, 200);
        churn(toft_pool_shared());
    }
};

} // namespace

TEST_CASE("at exit, static destructors and handlers may free and allocate") {
    CHECK(runs_in_child([] {
        std::atexit([] { churn(toft_pool_shared()); });
        static at_exit last;
        for (int i = 0; i < 1000; i++)
            last.objects.push_back(toft_pool_alloc(toft_pool_shared(), 200));
        std::thread([] { churn(toft_pool_shared()); }).join();
        std::exit(0);
    }));
}

// --- hand-over: one side only allocates, the other only frees ---

namespace {

// A bounded queue, so that the number of live objects is bounded too.
class queue {
  public:
    static constexpr std::size_t capacity = 4000;

    void put(void *p) {
        std::unique_lock held(lock_);
        changed_.wait(held, [&] { return objects_.size() < capacity; });
        objects_.push_back(p);
        if (objects_.size() == 1 || objects_.size() == capacity) changed_.notify_all();
    }
    // All there is; waits until that is enough.
    std::vector<void *> take_all(std::size_t enough = 1) {
        std::unique_lock held(lock_);
        changed_.wait(held, [&] { return objects_.size() >= enough; });
        std::vector<void *> taken;
        taken.swap(objects_);
        changed_.notify_all();
        return taken;
    }

  private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<void *> objects_;
};

} // namespace

TEST_CASE("at the limit, memory is taken that idle threads keep") {
    const std::size_t limit = 32 * mebibyte, size = 512;
    pool_guard pool({.limit_bytes = limit});
    std::mutex lock;
    std::condition_variable changed;
    unsigned idle = 0;
    bool done = false;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 24; i++)
        threads.emplace_back([&] {
            std::vector<void *> objects;
            for (std::size_t k = 0; k < mebibyte / size; k++) {
                objects.push_back(toft_pool_alloc(pool, size));
                if (objects.back() == nullptr) std::abort();
            }
            for (void *p : objects) toft_pool_free(pool, p, size);
            std::unique_lock held(lock);
            if (++idle == 24) changed.notify_all();
            changed.wait(held, [&] { return done; });
        });
    std::unique_lock held(lock);
    changed.wait(held, [&] { return idle == 24; });
    std::vector<void *> objects;
    while (void *p = toft_pool_alloc(pool, size)) objects.push_back(p);
    // 64 KiB of each thread's: the magazine that it has in use.
    if (!tracked()) CHECK(objects.size() * size >= limit - 24 * mebibyte / 16 - 2 * mebibyte);
    toft_pool_stats stats = toft_pool_get_stats(pool);
    CHECK(stats.high_water_bytes <= limit);
    for (void *p : objects) toft_pool_free(pool, p, size);
    toft_pool_trim(pool);
    if (!tracked()) CHECK(toft_pool_get_stats(pool).caches == 25);
    CHECK(live_bytes(pool) == 0);
    done = true;
    changed.notify_all();
    held.unlock();
    for (auto &thread : threads) thread.join();
    toft_pool_trim(pool);
    stats = toft_pool_get_stats(pool);
    if (!tracked()) CHECK(stats.cached_bytes + stats.idle_bytes == 0);
    // The calling thread's cache is in one span, and the shards are in two: each may be in a block
    // of 2 MiB that has nothing else.
    CHECK(stats.reserved_bytes <= 3 * 2 * mebibyte);
}

TEST_CASE("threads over an upstream that takes nothing back stay within its limit") {
    buffer_upstream upstream(40 * mebibyte);
    pool_guard pool({.upstream = upstream.c(), .limit_bytes = 32 * mebibyte});
    for (int round = 0; round < 5; round++) {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < 4; i++)
            threads.emplace_back([&, i] {
                for (std::size_t size : {std::size_t{100} << i, std::size_t{3000} << i}) {
                    std::vector<void *> objects;
                    while (objects.size() * size < 4 * mebibyte) {
                        void *p = toft_pool_alloc(pool, size);
                        if (p == nullptr) std::abort();
                        objects.push_back(p);
                    }
                    for (void *p : objects) toft_pool_free(pool, p, size);
                }
            });
        for (auto &thread : threads) thread.join();
    }
    CHECK(toft_pool_get_stats(pool).high_water_bytes <= 32 * mebibyte);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("who adopts a cache of the shared pool doesn't get its last owner's other caches") {
    if (tracked()) return;
    pool_guard pool;
    std::thread([&] { churn(pool); }).join(); // leaves an orphan in each pool
    toft_pool_cache *first = nullptr, *second = nullptr;
    std::barrier<> adopted(2), used(2);
    std::thread one([&] {
        churn(toft_pool_shared());
        adopted.arrive_and_wait();
        used.arrive_and_wait();
        second = toft_pool_current_cache(pool);
    });
    std::thread other([&] {
        adopted.arrive_and_wait();
        churn(pool);
        first = toft_pool_current_cache(pool);
        used.arrive_and_wait();
        one.join();
    });
    other.join();
    CHECK(first != second);
}

TEST_CASE("threads steal from each other all the time, and lose nothing") {
    pool_guard pool;
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; i++)
        threads.emplace_back([&] {
            while (!stop) churn(pool, 10);
        });
    for (unsigned i = 0; i < fewer_when_slow(3000); i++) {
        toft_pool_trim(pool);
        if (i % 10 == 0) toft_trim();
        toft_arena arena = TOFT_ARENA_INIT;
        if (toft_arena_alloc(&arena, 100, 8) == nullptr) std::abort();
        toft_arena_release(&arena);
    }
    stop = true;
    for (auto &thread : threads) thread.join();
    CHECK(live_bytes(pool) == 0);
    toft_pool_trim(pool);
    CHECK(reserved(pool) <= 2 * mebibyte);
}

TEST_CASE("producers and a consumer that never allocates run in flat memory") {
    for (unsigned producers : {1u, 4u}) {
        for (std::size_t size : {64u, 1024u}) {
            CAPTURE(producers);
            CAPTURE(size);
            pool_guard pool;
            queue handed_over;
            unsigned each = fewer_when_slow(2000000 / (size == 64 ? 1 : 4)) / producers;
            std::vector<std::thread> threads;
            for (unsigned i = 0; i < producers; i++)
                threads.emplace_back([&] {
                    for (unsigned k = 0; k < each; k++)
                        handed_over.put(toft_pool_alloc(pool, size));
                });
            std::size_t after_some = 0;
            // First the most that can be live at once, so that chance doesn't bring it late: what
            // the consumer holds, and a full queue behind it.
            std::vector<void *> held = handed_over.take_all(queue::capacity);
            for (void *p : handed_over.take_all(queue::capacity)) held.push_back(p);
            std::size_t consumed = held.size(), most = reserved(pool);
            for (void *p : held) toft_pool_free(pool, p, size);
            while (consumed < std::size_t{each} * producers) {
                for (void *p : handed_over.take_all()) {
                    toft_pool_free(pool, p, size);
                    consumed++;
                }
                std::size_t now = reserved(pool);
                most = std::max(most, now);
                if (consumed < std::size_t{each} * producers / 4) after_some = most;
            }
            for (auto &thread : threads) thread.join();
            // The live objects, and what the consumer and the depot may keep. While a tool tracks
            // memory, an object has a record, and its slot may be twice as large.
            std::size_t live = 2 * queue::capacity * size * (tracked() ? 2 : 1);
            CHECK(most <= live + 20 * mebibyte);
            CHECK(most <= after_some + live + 4 * mebibyte);
            CHECK(live_bytes(pool) == 0);
        }
    }
}

TEST_CASE("pools are destroyed while threads that have used them end") {
    constexpr int pools = 6, threads = 3;
    for (unsigned round = 0; round < fewer_when_slow(500); round++) {
        std::vector<std::unique_ptr<pool_guard>> own(pools);
        for (auto &pool : own) pool = std::make_unique<pool_guard>();
        std::barrier<> all_used(threads + 1);
        std::vector<std::thread> users;
        for (int t = 0; t < threads; t++)
            users.emplace_back([&, t] {
                for (int p = 0; p < pools; p++) churn(*own[std::size_t((p + t) % pools)]);
                all_used.arrive_and_wait();
            });
        all_used.arrive_and_wait();
        own.clear();
        for (auto &user : users) user.join();
    }
    CHECK(toft_pool_get_stats(toft_pool_shared()).caches <= 20);
}
