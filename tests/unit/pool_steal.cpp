// SPDX-License-Identifier: MIT
// Who takes what other threads keep waits for them, and keeps nobody else waiting.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "pool_inside.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

// An upstream that waits, as for a lock of the program's.
struct waiting_upstream {
    std::atomic<bool> waits = false;
    std::binary_semaphore entered{0}, go{0};

    static void *allocate(void *context, std::size_t bytes, std::size_t alignment) {
        auto *self = static_cast<waiting_upstream *>(context);
        if (self->waits.exchange(false)) {
            self->entered.release();
            self->go.acquire();
        }
        return std::aligned_alloc(alignment, bytes);
    }
    static void free(void *, void *memory, std::size_t, std::size_t) { std::free(memory); }
};

void use_until_it_waits(toft_pool *pool, waiting_upstream &upstream) {
    constexpr std::size_t size = 4096;
    std::vector<void *> objects = {toft_pool_alloc(pool, size)};
    upstream.waits = true;
    while (upstream.waits) objects.push_back(toft_pool_alloc(pool, size));
    for (void *p : objects) toft_pool_free(pool, p, size);
}

// A watched thread tells of the next lock that it takes.
thread_local bool watched = false;
std::binary_semaphore locked(0);
void watch_locks() {
    toft_fake_watch_locks(
        [](toft_os_mutex *) {
            if (!watched) return;
            watched = false;
            locked.release();
        },
        nullptr);
}

} // namespace

// The program's own lock may come between the two: an upstream of the first takes it, and who holds
// it uses the second.
TEST_CASE("what waits in a pool's upstream doesn't hold up another pool") {
    if (tracked()) return; // then no thread keeps anything
    waiting_upstream slow;
    const toft_upstream upstream = {waiting_upstream::allocate, waiting_upstream::free, &slow};
    pool_guard outer({.upstream = &upstream}), other;
    std::thread owner([&] { use_until_it_waits(outer, slow); });
    slow.entered.acquire();
    watch_locks();
    std::thread thief([&] {
        toft_pool_trim(other); // the thread's first call takes other locks too
        watched = true;
        toft_pool_trim(outer);
    });
    locked.acquire();
    toft_pool_trim(other);
    slow.go.release();
    owner.join();
    thief.join();
    toft_fake_watch_locks(nullptr, nullptr);
}

TEST_CASE("what is idle goes back while a thread that ends waits for a pool's upstream") {
    if (tracked()) return; // then no thread keeps anything
    waiting_upstream slow;
    const toft_upstream upstream = {waiting_upstream::allocate, waiting_upstream::free, &slow};
    pool_guard outer({.upstream = &upstream});
    std::binary_semaphore used(0), end(0);
    std::thread ends([&] {
        toft_pool_free(outer, toft_pool_alloc(outer, 100), 100);
        used.release();
        end.acquire();
        watched = true;
    });
    used.acquire();
    std::thread owner([&] { use_until_it_waits(outer, slow); });
    slow.entered.acquire();
    watch_locks();
    end.release();
    locked.acquire();
    toft_trim();
    slow.go.release();
    owner.join();
    ends.join();
    toft_fake_watch_locks(nullptr, nullptr);
}

// So that it costs no more beside thousands of threads that rest.
TEST_CASE("a cache that is looked for is the first to be found the next time") {
    if (tracked()) return;
    constexpr int resting = 20;
    pool_guard pool;
    auto use = [&] { toft_pool_free(pool, toft_pool_alloc(pool, 100), 100); };
    use(); // so that this thread's cache is behind all others
    std::barrier<> all_used(resting + 1), done(resting + 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < resting; i++)
        threads.emplace_back([&] {
            use();
            all_used.arrive_and_wait();
            done.arrive_and_wait();
        });
    all_used.arrive_and_wait();
    const toft_pool_cache *before = toft_test_first_cache(pool);
    CHECK(before != toft_pool_thread_cache(pool));
    CHECK(toft_test_first_cache(pool) == toft_pool_thread_cache(pool));
    const toft_pool_cache *left = nullptr;
    std::thread([&] { left = toft_pool_thread_cache(pool); }).join();
    CHECK(toft_test_first_cache(pool) == left);
    std::thread([&] { CHECK(toft_pool_thread_cache(pool) == left); }).join();
    done.arrive_and_wait();
    for (auto &thread : threads) thread.join();
}
