// SPDX-License-Identifier: MIT
// The runs for large objects that a thread keeps for itself: see src/pool/cache_runs.h.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

// Another thread, which does what it is told and lives on in between.
class other_thread {
  public:
    ~other_thread() {
        run({});
        thread_.join();
    }
    // Returns when it is done.
    void run(std::function<void()> task) {
        task_ = std::move(task);
        told_.release();
        done_.acquire();
    }

  private:
    void work() {
        for (bool more = true; more;) {
            told_.acquire();
            more = task_ != nullptr;
            if (more) task_();
            done_.release();
        }
    }

    std::function<void()> task_;
    std::binary_semaphore told_{0}, done_{0};
    std::thread thread_{[this] { work(); }};
};

std::vector<void *> make(toft_pool *pool, std::size_t count, std::size_t size) {
    std::vector<void *> objects(count);
    for (void *&object : objects) {
        object = toft_pool_alloc(pool, size);
        REQUIRE(object != nullptr);
    }
    return objects;
}

void free_all(toft_pool *pool, const std::vector<void *> &objects, std::size_t size) {
    for (void *object : objects) toft_pool_free(pool, object, size);
}

std::size_t cached_bytes(toft_pool *pool) { return toft_pool_get_stats(pool).cached_bytes; }

} // namespace

TEST_CASE("a large object is handed out again to the thread that freed it") {
    if (tracked()) return;
    pool_guard pool;
    other_thread other;
    void *mine = toft_pool_alloc(pool, buffer_bytes), *theirs = nullptr;
    other.run([&] { theirs = toft_pool_alloc(pool, buffer_bytes); });
    toft_pool_free(pool, mine, buffer_bytes);
    other.run([&] { toft_pool_free(pool, theirs, buffer_bytes); });
    CHECK(toft_pool_alloc(pool, buffer_bytes) == mine);
    other.run([&] { CHECK(toft_pool_alloc(pool, buffer_bytes) == theirs); });
    toft_pool_free(pool, mine, buffer_bytes);
    toft_pool_free(pool, theirs, buffer_bytes);
}

TEST_CASE("large objects that another thread frees come back from it") {
    if (tracked()) return;
    pool_guard pool;
    other_thread other;
    std::size_t before = 0;
    for (int round = 0; round < 8; round++) {
        std::vector<void *> objects = make(pool, 200, buffer_bytes);
        if (round == 1) before = reserved_bytes(pool);
        other.run([&] { free_all(pool, objects, buffer_bytes); });
    }
    CHECK(reserved_bytes(pool) <= before + 4 * mebibyte);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("what a thread keeps of large objects is idle, and goes back when it rests or ends") {
    if (tracked()) return;
    pool_guard pool;
    toft_fake_advance(1000);
    auto use = [&] { free_all(pool, make(pool, 16, buffer_bytes), buffer_bytes); };
    auto rest = [&] {
        for (int step = 0; step < 2; step++) { // the first tells what is idle, the second gives it
            toft_fake_advance(10'000);
            free_all(pool, make(pool, 1, 2 * mebibyte), 2 * mebibyte);
        }
        toft_pool_trim(pool);
    };
    {
        other_thread other;
        other.run(use);
        CHECK(live_bytes(pool) == 0);
        CHECK(cached_bytes(pool) >= 16 * buffer_bytes);
        rest();
        CHECK(cached_bytes(pool) == 0);
        other.run(use);
    }
    use();
    rest();
    CHECK(cached_bytes(pool) == 0);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("runs that a thread keeps serve its longer objects before blocks become more") {
    if (tracked()) return;
    pool_guard pool;
    for (std::size_t longer_bytes : {4 * buffer_bytes - 4096, 6 * buffer_bytes}) {
        CAPTURE(longer_bytes);
        free_all(pool, make(pool, 24, buffer_bytes), buffer_bytes);
        std::size_t before = reserved_bytes(pool);
        free_all(pool, make(pool, 2, longer_bytes), longer_bytes);
        CHECK(reserved_bytes(pool) == before);
    }
}

TEST_CASE("an object grows where it is into a run that its thread keeps") {
    if (tracked()) return;
    pool_guard pool;
    void *first = toft_pool_alloc(pool, buffer_bytes),
         *second = toft_pool_alloc(pool, buffer_bytes);
    REQUIRE(second > first);
    toft_pool_free(pool, second, buffer_bytes);
    void *longer = toft_pool_resize(pool, first, buffer_bytes, 2 * buffer_bytes);
    CHECK(longer == first);
    toft_pool_free(pool, longer, 2 * buffer_bytes);
}

TEST_CASE("at a limit, what another thread keeps of large objects is used") {
    if (tracked()) return;
    toft_pool_options options{};
    options.limit_bytes = 8 * mebibyte;
    pool_guard pool(options);
    other_thread other;
    other.run([&] { free_all(pool, make(pool, 80, buffer_bytes), buffer_bytes); });
    free_all(pool, make(pool, 5, mebibyte), mebibyte);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("a thread keeps no more of large objects than the pool's options let stay") {
    if (tracked()) return;
    for (std::size_t keep_bytes : {std::size_t{1}, mebibyte}) {
        CAPTURE(keep_bytes);
        toft_pool_options options{};
        options.keep_bytes = keep_bytes;
        pool_guard pool(options);
        free_all(pool, make(pool, 40, buffer_bytes), buffer_bytes);
        CHECK(cached_bytes(pool) <= keep_bytes);
    }
}
