// SPDX-License-Identifier: MIT
// Memory that comes back by itself. The clock is the fake system's, and is set by the tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/at_once.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// Every fiftieth object stays, so that no block is free as a whole, but many units are.
struct sparse_pool {
    pool_guard pool;
    std::vector<char *> kept;

    sparse_pool() {
        auto objects = fill(pool, 60 * mebibyte / 1000, 1000);
        for (std::size_t i = 0; i < objects.size(); i++) {
            if (i % 50 == 0)
                kept.push_back(objects[i]);
            else
                toft_pool_free(pool, objects[i], 1000);
        }
        work_for_seconds(pool, 1); // what was in caches and depots lies idle in the heap then
    }
    ~sparse_pool() { free_all(pool, kept, 1000); }

    std::size_t idle() { return toft_pool_get_stats(pool).idle_bytes; }
};

// By how much it fell at most while something was done.
class falls {
    std::size_t before_, most_ = 0;

  public:
    explicit falls(std::size_t now) : before_(now) {}
    void look(std::size_t now) {
        if (now < before_) most_ = std::max(most_, before_ - now);
        before_ = now;
    }
    std::size_t most() const { return most_; }
};

} // namespace

TEST_CASE("idle memory decays over seconds, while the pool is used for something else") {
    if (tracked()) return;        // there is no cache then, and a quarantine of few objects
    if (thread_sanitizer) return; // one thread, and much memory
    pool_guard pool;
    for (std::size_t size : {64u, 256u, 4000u, 30000u}) fill_and_free(pool, 100 * mebibyte, size);
    std::size_t at_once = kept_bytes(pool), in_the_system = toft_fake_get_counts().live_bytes;
    CHECK(at_once <= 112 * mebibyte);
    work_for_seconds(pool, 6);
    CHECK(kept_bytes(pool) <= 4 * mebibyte);
    CHECK(toft_fake_get_counts().live_bytes <= in_the_system - (at_once - 4 * mebibyte) / 2);
}

TEST_CASE("a step of decay is spread over many calls") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    sparse_pool sparse;
    const std::size_t at_first = sparse.idle();
    CHECK(at_first >= 4 * mebibyte);
    toft_fake_advance(500);
    falls of(at_first);
    std::vector<void *> objects(500);
    for (int round = 0; round < 20; round++) {
        for (void *&object : objects)
            object = toft_pool_alloc(sparse.pool, 48), of.look(sparse.idle());
        for (void *object : objects)
            toft_pool_free(sparse.pool, object, 48), of.look(sparse.idle());
    }
    // What the thread had in use lies idle as well, since it does little.
    const std::size_t in_magazines = std::size_t{128} << 10;
    CHECK(sparse.idle() <= at_first - at_first / 2 + mebibyte + in_magazines);
    CHECK(of.most() <= 2 * mebibyte);
}

TEST_CASE("a program that calls seldom pays the rest of a step at the next one") {
    if (tracked()) return;
    sparse_pool sparse;
    const std::size_t at_first = sparse.idle();
    for (int i = 0; i < 8; i++) {
        toft_fake_advance(500);
        fill_and_free(sparse.pool, 64 << 10, 48);
    }
    CHECK(sparse.idle() <= at_first / 32 + mebibyte);
}

TEST_CASE("after a long rest, what lies idle goes back at once: the program may rest again") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    sparse_pool sparse;
    const auto live = fill(sparse.pool, 3000, 100000);
    fill_and_free(sparse.pool, 140 * mebibyte, 100000);
    work_for_seconds(sparse.pool, 1);
    auto cached = [&] { return toft_pool_get_stats(sparse.pool).cached_bytes; };
    CHECK(sparse.idle() >= 2 * mebibyte);
    CHECK(cached() >= 16 * mebibyte);
    toft_fake_advance(60'000);
    fill_and_free(sparse.pool, 2 * mebibyte, 2 * mebibyte); // one object, which looks at the clock
    CHECK(sparse.idle() <= mebibyte);
    CHECK(cached() <= 4 * mebibyte);
    free_all(sparse.pool, live, 100000);
}

TEST_CASE("what is in use from time to time doesn't decay") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    pool_guard pool;
    for (int i = 0; i < 10; i++) fill_and_free(pool, 12 * mebibyte, 1000);
    std::size_t calls = toft_fake_get_counts().calls;
    for (int i = 0; i < 50; i++) {
        toft_fake_advance(100);
        fill_and_free(pool, 12 * mebibyte, 1000);
    }
    CHECK(toft_fake_get_counts().calls <= calls + 10);
}

TEST_CASE("idle memory decays where the clock is far behind the one that was looked at before") {
    if (tracked()) return;
    pool_guard pool;
    fill_and_free(pool, 64 * mebibyte, 1000);
    toft_fake_advance(100'000);
    fill_and_free(pool, 64 << 10, 48);
    fill_and_free(pool, 15 * mebibyte, 1000);
    toft_fake_advance(-100'000);
    work_for_seconds(pool, 6);
    CHECK(kept_bytes(pool) <= 4 * mebibyte);
    toft_fake_advance(100'000);
}

TEST_CASE("a program that works in rounds of any size doesn't map its memory in each") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    for (std::size_t bytes : {40 * mebibyte, 150 * mebibyte}) {
        CAPTURE(bytes);
        pool_guard pool;
        auto mapped = [&] { return toft_pool_get_stats(pool).upstream_allocations; };
        for (int i = 0; i < 3; i++) fill_and_free(pool, bytes, 200);
        std::size_t after_three = mapped();
        for (int i = 0; i < 10; i++) fill_and_free(pool, bytes, 200);
        CHECK(mapped() == after_three);
        CHECK(kept_bytes(pool) <= bytes + 10 * mebibyte);
        work_for_seconds(pool, 6);
        CHECK(kept_bytes(pool) <= mebibyte);
    }
}

TEST_CASE("a program that doesn't ask again keeps little") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    pool_guard pool;
    fill_and_free(pool, 150 * mebibyte, 200);
    CHECK(kept_bytes(pool) <= 24 * mebibyte);
}

TEST_CASE("the option keep_bytes bounds what stays, in rounds too") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    pool_guard pool({.keep_bytes = 6 * mebibyte});
    for (int i = 0; i < 4; i++) {
        fill_and_free(pool, 50 * mebibyte, 200);
        fill_and_free(pool, 50 * mebibyte, 100000);
        fill_and_free(pool, 50 * mebibyte, 2 * mebibyte);
        toft_pool_stats stats = toft_pool_get_stats(pool);
        CHECK(stats.idle_bytes <= (6 + 6 + 2) * mebibyte); // small ones, large ones, a block more
        CHECK(stats.idle_bytes + stats.cached_bytes <= 24 * mebibyte);
    }
}

TEST_CASE("the option keep_bytes bounds what lies idle between objects, too") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    for (std::size_t size : {200u, 2000u, 8000u, 30000u}) {
        CAPTURE(size);
        pool_guard pool({.keep_bytes = mebibyte});
        auto objects = fill(pool, 60 * mebibyte / size, size);
        std::shuffle(objects.begin(), objects.end(), std::mt19937(1));
        free_all(pool, objects, size);
        CHECK(toft_pool_get_stats(pool).idle_bytes <= mebibyte);
    }
}

TEST_CASE("large objects that nobody wants any more decay too") {
    if (tracked()) return;
    for (std::size_t size : {std::size_t{40000}, mebibyte, 3 * mebibyte}) {
        CAPTURE(size);
        pool_guard pool;
        fill_and_free(pool, 24 * mebibyte, size);
        CHECK(kept_bytes(pool) >= 4 * mebibyte);
        for (int i = 0; i < 60; i++) {
            toft_fake_advance(100);
            for (int k = 0; k < 64; k++) fill_and_free(pool, 33000, 33000);
        }
        CHECK(kept_bytes(pool) <= mebibyte / 4);
    }
}

namespace {

std::size_t kept_large_bytes(toft_pool *pool) { return toft_pool_get_stats(pool).cached_bytes; }

constexpr std::size_t part_and_a_block = 5 * mebibyte;

} // namespace

TEST_CASE("what is freed of many large objects goes back in parts") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    for (std::size_t size : {std::size_t{40000}, std::size_t{100000}, mebibyte - 200}) {
        CAPTURE(size);
        pool_guard pool;
        auto objects = fill(pool, 160 * mebibyte / size, size);
        std::shuffle(objects.begin(), objects.end(), std::mt19937(1));
        falls of(0);
        std::size_t live = objects.size() * size;
        for (char *object : objects) {
            toft_pool_free(pool, object, size);
            live -= size;
            std::size_t kept = kept_large_bytes(pool);
            of.look(kept);
            CHECK(kept <= live / 2 + 24 * mebibyte);
        }
        CHECK(of.most() <= part_and_a_block);
    }
}

TEST_CASE("a step of large objects' decay is spread over many calls, small and large ones") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    for (std::size_t size : {std::size_t{48}, std::size_t{40000}}) {
        CAPTURE(size);
        pool_guard pool;
        auto objects = fill(pool, 3000, 100000);
        fill_and_free(pool, 140 * mebibyte, 100000);
        work_for_seconds(pool, 1); // from when on it lies idle
        std::size_t at_first = kept_large_bytes(pool);
        CHECK(at_first >= 24 * mebibyte);
        toft_fake_advance(500);
        falls of(at_first);
        std::vector<void *> others(size < 100 ? 500 : 2);
        for (std::size_t round = 0; round < 10000 / others.size(); round++) {
            for (void *&other : others) {
                other = toft_pool_alloc(pool, size);
                of.look(kept_large_bytes(pool));
            }
            for (void *other : others) {
                toft_pool_free(pool, other, size);
                of.look(kept_large_bytes(pool));
            }
        }
        CHECK(of.most() <= part_and_a_block);
        CHECK(kept_large_bytes(pool) <= at_first - at_first / 2 + 2 * mebibyte);
        free_all(pool, objects, 100000);
    }
}

namespace {

// More than a thread keeps for itself, so that the arenas' store is called.
void use_arenas_for_seconds(unsigned seconds) {
    toft_arena arena = TOFT_ARENA_INIT;
    for (unsigned i = 0; i < seconds * 10; i++) {
        toft_fake_advance(100);
        for (int k = 0; k < 16; k++) {
            REQUIRE(toft_arena_alloc(&arena, mebibyte, 16) != nullptr);
            REQUIRE(toft_arena_alloc(&arena, mebibyte, 16) != nullptr);
            toft_arena_release(&arena);
        }
    }
}

void leave_large_chunks() {
    toft_arena arena = TOFT_ARENA_INIT;
    for (int i = 0; i < 8; i++) REQUIRE(toft_arena_alloc(&arena, 6 * mebibyte, 16) != nullptr);
    toft_arena_release(&arena);
}

// Returns how much the process had without that.
std::size_t leave_much_idle() {
    toft_trim();
    std::size_t before = toft_fake_get_counts().live_bytes;
    leave_large_chunks();
    CHECK(toft_fake_get_counts().live_bytes >= before + 32 * mebibyte);
    return before;
}

} // namespace

TEST_CASE("pools are made, used and destroyed while others and arenas see that time has passed") {
    run_at_once(4, [](int t) {
        for (int i = 0; i < (fast_build ? 400 : 40); i++) {
            toft_fake_advance(200);
            if (t == 0) {
                leave_large_chunks();
            } else {
                pool_guard pool;
                fill_and_free(pool, mebibyte, 500);
                fill_and_free(toft_pool_shared(), mebibyte, 40000);
            }
        }
    });
}

TEST_CASE("what arenas left behind decays while others come and go") {
    if (tracked()) return;
    std::size_t before = leave_much_idle();
    use_arenas_for_seconds(6);
    CHECK(toft_fake_get_counts().live_bytes <= before + 12 * mebibyte);
}

TEST_CASE("what arenas left behind decays in a process that goes on with a pool alone") {
    if (tracked()) return;
    std::size_t before = leave_much_idle();
    pool_guard pool;
    work_for_seconds(pool, 6);
    CHECK(toft_fake_get_counts().live_bytes <= before + 4 * mebibyte);
}

TEST_CASE("what pools keep, and left behind, decays in a process that goes on with arenas alone") {
    if (tracked()) return;
    toft_trim();
    pool_guard pool;
    std::size_t before = toft_fake_get_counts().live_bytes;
    fill_and_free(pool, 32 * mebibyte, 64);
    { fill_and_free(pool_guard(), 32 * mebibyte, 30000); }
    std::size_t with_idle = toft_fake_get_counts().live_bytes;
    CHECK(kept_bytes(pool) >= 8 * mebibyte);
    CHECK(with_idle >= before + 16 * mebibyte);
    use_arenas_for_seconds(8);
    CHECK(kept_bytes(pool) <= mebibyte);
    CHECK(toft_fake_get_counts().live_bytes <= before + 12 * mebibyte);
}
