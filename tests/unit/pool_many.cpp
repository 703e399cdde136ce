// SPDX-License-Identifier: MIT
// Many pools, one for each session say, of which nearly all rest: what happens elsewhere in the
// process doesn't touch them.
#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/child.hpp"

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

// How often a fork asks for a barrier in all threads, while another thread has a cache of each pool.
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
