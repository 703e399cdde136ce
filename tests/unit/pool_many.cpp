// SPDX-License-Identifier: MIT
// Many pools, one for each session say, of which nearly all rest: what happens elsewhere in the
// process doesn't touch them.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.h>

#include "os/fake/fake.h"
#include "pool_inside.h"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"

using namespace toft_test;

namespace {

using pools = std::vector<toft_pool *>;

pools make(std::size_t count) {
    pools made(count);
    for (toft_pool *&pool : made) {
        pool = toft_pool_create(nullptr);
        CHILD_REQUIRE(pool != nullptr);
    }
    return made;
}

// Who touches one of these pools from now on dies, as far as whole pages are theirs alone.
void forbid_touching(pools forbidden) {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    std::sort(forbidden.begin(), forbidden.end());
    std::size_t pages = 0;
    for (std::size_t i = 0; i < forbidden.size();) {
        auto begin = reinterpret_cast<std::uintptr_t>(forbidden[i]), end = begin;
        for (; i < forbidden.size() && reinterpret_cast<std::uintptr_t>(forbidden[i]) == end; i++)
            end += toft_pool_usable_bytes(forbidden[i]);
        begin = (begin + page_bytes - 1) / page_bytes * page_bytes;
        end = end / page_bytes * page_bytes;
        if (begin >= end) continue;
        CHILD_REQUIRE(mprotect(reinterpret_cast<void *>(begin), end - begin, PROT_NONE) == 0);
        pages += (end - begin) / page_bytes;
    }
    CHILD_REQUIRE(pages >= forbidden.size());
}

} // namespace

TEST_CASE("to destroy a pool touches no other but its neighbours in age") {
    if (tracked()) return; // then pools have poison between them
    CHECK(runs_in_child([] {
        pools all = make(64);
        forbid_touching(pools(all.begin() + 2, all.end() - 1));
        toft_pool_destroy(all[0]);
    }));
}

namespace {

void use(toft_pool *pool) { toft_pool_free(pool, toft_pool_alloc(pool, 100), 100); }

// How often a fork asks for a barrier in all threads while another thread has a cache of each pool.
std::size_t barriers_of_fork(const pools &used) {
    std::barrier<> all_used(2), done(2);
    std::thread other([&] {
        for (toft_pool *pool : used) use(pool);
        all_used.arrive_and_wait();
        done.arrive_and_wait();
    });
    all_used.arrive_and_wait();
    std::size_t before = toft_fake_get_counts().calls;
    pid_t child = fork();
    if (child == 0) _exit(0);
    std::size_t barriers = toft_fake_get_counts().calls - before;
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    done.arrive_and_wait();
    other.join();
    return barriers;
}

} // namespace

TEST_CASE("a fork interrupts the other threads as often beside many pools as beside one") {
    if (tracked()) return;        // then no thread has a cache
    if (thread_sanitizer) return; // it bears no more than 64 locks
    CHECK(runs_in_child([] {
        std::size_t beside_one = barriers_of_fork(make(1));
        CHILD_REQUIRE(beside_one > 0);
        CHILD_REQUIRE(barriers_of_fork(make(20)) == beside_one);
    }));
}

namespace {

std::size_t locks_taken = 0;

std::size_t locks_of_fork() {
    std::barrier<> begun(2), done(2);
    std::thread other([&] { // a process of one thread forks without locks
        begun.arrive_and_wait();
        done.arrive_and_wait();
    });
    begun.arrive_and_wait();
    locks_taken = 0;
    toft_fake_watch_locks([](toft_os_mutex *) { locks_taken++; }, nullptr);
    pid_t child = fork();
    if (child == 0) _exit(0);
    toft_fake_watch_locks(nullptr, nullptr);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    done.arrive_and_wait();
    other.join();
    return locks_taken;
}

} // namespace

// Each is written to, in a page that must be copied then.
TEST_CASE("a fork takes few locks of each pool") {
    if (tracked() || thread_sanitizer) return;
    CHECK(runs_in_child([] {
        constexpr std::size_t count = 20;
        std::size_t without = locks_of_fork();
        pools all = make(count);
        CHILD_REQUIRE(locks_of_fork() == without + 4 * count);
    }));
}

TEST_CASE("the end of a thread touches only the pools that the thread has used") {
    if (tracked()) return;
    CHECK(runs_in_child([] {
        pools all = make(64);
        std::thread([&] { use(all[1]); }).join(); // which leaves a cache to be adopted
        forbid_touching(pools(all.begin() + 2, all.end()));
        std::thread([&] {
            use(toft_pool_shared());
            use(all[0]);
            use(all[1]);
        }).join();
        toft_pool_destroy(all[0]);
    }));
}

// --- decay ---

TEST_CASE("what decays elsewhere doesn't touch a pool that was never used") {
    if (tracked()) return;
    CHECK(runs_in_child([] {
        forbid_touching(make(64));
        work_for_seconds(toft_pool_shared(), 5);
    }));
}

TEST_CASE("a pool that nobody uses any more is soon left alone") {
    if (tracked()) return;
    CHECK(runs_in_child([] {
        pools all = make(64);
        for (toft_pool *pool : all) {
            fill_and_free(pool, 200 << 10, 1000);
            fill_and_free(pool, 2 << 20, 100000);
        }
        std::thread([&] {
            for (toft_pool *pool : all) fill_and_free(pool, 100 << 10, 48);
        }).join();
        work_for_seconds(toft_pool_shared(), 15);
        for (toft_pool *pool : all) CHILD_REQUIRE(toft_pool_get_stats(pool).idle_bytes == 0);
        forbid_touching(all);
        work_for_seconds(toft_pool_shared(), 5);
    }));
}

TEST_CASE("a pool that has come to rest and is used again decays again") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    pool_guard pool;
    for (std::size_t size : {std::size_t{1000}, std::size_t{100000}, std::size_t{3} << 20}) {
        CAPTURE(size);
        fill_and_free(pool, 8 << 20, size);
        CHECK(kept_bytes(pool) >= 2 << 20);
        work_for_seconds(toft_pool_shared(), 15);
        CHECK(kept_bytes(pool) <= 64 << 10);
    }
    void *shrinks = toft_pool_alloc(pool, 8 << 20);
    work_for_seconds(toft_pool_shared(), 5);
    shrinks = toft_pool_resize(pool, shrinks, 8 << 20, 2 << 20);
    work_for_seconds(toft_pool_shared(), 15);
    CHECK(kept_bytes(pool) <= 64 << 10);
    toft_pool_free(pool, shrinks, 2 << 20);
}

namespace {

// Which pools are visited between two calls of next().
struct visits {
    static inline pools watched;
    static inline std::vector<bool> in_this_call, so_far;
    std::size_t most = 0;

    explicit visits(const pools &all) {
        watched = all;
        in_this_call.assign(all.size(), false);
        so_far = in_this_call;
        toft_fake_watch_locks(note, nullptr);
    }
    visits(const visits &) = delete;
    visits &operator=(const visits &) = delete;
    ~visits() { toft_fake_watch_locks(nullptr, nullptr); }

    static void note(toft_os_mutex *lock) {
        for (std::size_t i = 0; i < watched.size(); i++)
            if (toft_test_is_pool_lock(watched[i], lock)) in_this_call[i] = so_far[i] = true;
    }
    void next() {
        most = std::max(most, static_cast<std::size_t>(
                                  std::count(in_this_call.begin(), in_this_call.end(), true)));
        in_this_call.assign(watched.size(), false);
    }
    static bool all() { return std::count(so_far.begin(), so_far.end(), false) == 0; }
};

} // namespace

TEST_CASE("a step of decay over many pools is spread over many calls") {
    if (tracked()) return;
    pools all(50);
    std::vector<pool_guard> guards(all.size());
    for (std::size_t i = 0; i < all.size(); i++) {
        all[i] = guards[i];
        fill_and_free(all[i], 200 << 10, 1000);
    }
    work_for_seconds(toft_pool_shared(), 1);
    visits seen(all);
    toft_fake_advance(500);
    std::vector<void *> objects(500);
    for (int round = 0; round < 20; round++) {
        for (void *&object : objects) object = toft_pool_alloc(toft_pool_shared(), 48), seen.next();
        for (void *object : objects) toft_pool_free(toft_pool_shared(), object, 48), seen.next();
    }
    CHECK(visits::all());
    CHECK(seen.most <= 8); // a call may begin a step, and go on with it
}

TEST_CASE("what many pools keep decays in a process that goes on with arenas alone") {
    if (tracked()) return;
    std::vector<pool_guard> all(50);
    for (pool_guard &pool : all) fill_and_free(pool, 1 << 20, 1000);
    for (int i = 0; i < 150; i++) {
        toft_fake_advance(100);
        for (int k = 0; k < 200; k++) {
            toft_arena arena = TOFT_ARENA_INIT;
            REQUIRE(toft_arena_alloc(&arena, 1 << 20, 16) != nullptr);
            REQUIRE(toft_arena_alloc(&arena, 1 << 20, 16) != nullptr);
            toft_arena_release(&arena);
        }
    }
    for (pool_guard &pool : all) CHECK(kept_bytes(pool) <= 64 << 10);
}

TEST_CASE("a round over many pools goes on where those are destroyed that it comes to next") {
    if (tracked()) return;
    CHECK(runs_in_child([] {
        pools many = make(200);
        const std::size_t pool_bytes = toft_pool_usable_bytes(many[0]);
        for (toft_pool *pool : many) toft_pool_free(pool, toft_pool_alloc(pool, 64), 64);
        work_for_seconds(toft_pool_shared(), 1); // begins a round
        for (toft_pool *pool : many) toft_pool_destroy(pool);
        for (int i = 0; i < 400; i++) // where they lay
            std::memset(toft_pool_alloc(toft_pool_shared(), pool_bytes), 0xff, pool_bytes);
        work_for_seconds(toft_pool_shared(), 3);
    }));
}
