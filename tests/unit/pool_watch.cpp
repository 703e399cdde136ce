// SPDX-License-Identifier: MIT
// Memory that comes back while a program goes on with little. The clock is the fake system's, and
// is set by the tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_work.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// Objects of many sizes, freed in a random order.
void fill_and_free_at_random(toft_pool *pool, std::size_t bytes) {
    std::mt19937 random(1);
    struct object {
        void *memory;
        std::size_t size;
    };
    std::vector<object> objects;
    for (std::size_t made = 0; made < bytes;) {
        const std::size_t size = 16 + random() % 200;
        objects.push_back({toft_pool_alloc(pool, size), size});
        made += size;
    }
    std::shuffle(objects.begin(), objects.end(), random);
    for (const object &o : objects) toft_pool_free(pool, o.memory, o.size);
}

// Answers small requests, whose objects a thread's magazines hold again and again.
class server {
    toft_pool *pool_;
    std::mt19937 random_{2};

  public:
    explicit server(toft_pool *pool) : pool_(pool) {}

    void answer(unsigned count = 200) {
        struct {
            void *memory;
            std::size_t size;
        } objects[200];
        for (unsigned i = 0; i < count; i++) {
            objects[i].size = 16 + random_() % 512;
            objects[i].memory = toft_pool_alloc(pool_, objects[i].size);
        }
        for (unsigned i = 0; i < count; i++)
            toft_pool_free(pool_, objects[i].memory, objects[i].size);
    }

    void answer_for_seconds(unsigned seconds, unsigned count = 200) {
        for (unsigned i = 0; i < seconds * 10; i++) {
            toft_fake_advance(100);
            answer(count);
        }
    }
};

std::atomic<unsigned> locks_taken;

// What the system notes of the mapping that an address lies in: the line VmFlags.
std::string flags_of(const void *address) {
    std::ifstream maps("/proc/self/smaps");
    bool found = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0, end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
            const auto at = reinterpret_cast<std::uintptr_t>(address);
            found = begin <= at && at < end;
        } else if (found && line.starts_with("VmFlags:")) {
            return line + ' ';
        }
    }
    return {};
}

bool has_flag(const void *address, const char *flag) {
    return flags_of(address).find(' ' + std::string(flag) + ' ') != std::string::npos;
}

} // namespace

TEST_CASE("what lies idle goes back while a program answers the same small request") {
    if (tracked()) return; // there is no cache then
    pool_guard pool;
    server of(pool);
    for (int i = 0; i < 5; i++) of.answer();
    SUBCASE("of small objects") { fill_and_free_at_random(pool, 60 * mebibyte); }
    SUBCASE("of large ones") { fill_and_free(pool, 40 * mebibyte, 200'000); }
    SUBCASE("of mappings") { fill_and_free(pool, 60 * mebibyte, 3 * mebibyte); }
    of.answer();
    CHECK(kept_bytes(pool) >= 4 * mebibyte);
    of.answer_for_seconds(8);
    CHECK(kept_bytes(pool) <= 2 * mebibyte);
}

TEST_CASE("few free slots keep no memory from going back where little may stay") {
    if (tracked()) return;
    pool_guard pool({.keep_bytes = TOFT_KEEP_NOTHING});
    fill_and_free_at_random(pool, 60 * mebibyte);
    const std::size_t freed = resident_bytes(); // in spans that are empty but for those
    server of(pool);
    of.answer_for_seconds(8);
    CHECK(resident_bytes() + 4 * mebibyte <= freed);
}

TEST_CASE("what lies idle goes back while a thread makes a call in each millisecond") {
    if (tracked()) return;
    pool_guard pool;
    fill_and_free_at_random(pool, 60 * mebibyte);
    CHECK(kept_bytes(pool) >= 4 * mebibyte);
    toft_fake_advance(4);
    for (int i = 0; i < 8000; i++) {
        toft_fake_advance(1);
        toft_pool_free(pool, toft_pool_alloc(pool, 1000), 1000); // no object was so large
    }
    CHECK(kept_bytes(pool) <= 2 * mebibyte);
}

TEST_CASE("what caches keep goes back where next to nothing else may be kept") {
    if (tracked()) return;
    toft_pool_options options = {};
    options.keep_bytes = TOFT_KEEP_NOTHING;
    pool_guard pool(options);
    fill_and_free(pool, 1000, 100);
    std::thread([&] { fill_and_free(pool, 1000, 100); }).join();
    fill_and_free_at_random(pool, 60 * mebibyte);
    CHECK(kept_bytes(pool) >= 3 * mebibyte); // in magazines, which wait for other threads
    server(pool).answer_for_seconds(8, 20);
    CHECK(kept_bytes(pool) <= 1 * mebibyte);
}

TEST_CASE("what threads that wait keep goes back meanwhile, too") {
    if (tracked()) return;
    pool_guard pool;
    server of(pool);
    constexpr int count = 20;
    std::barrier<> worked(count + 1), may_end(count + 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < count; t++)
        threads.emplace_back([&] {
            fill_and_free(pool, 2 * mebibyte, 1000);
            worked.arrive_and_wait();
            may_end.arrive_and_wait();
        });
    worked.arrive_and_wait();
    of.answer();
    CHECK(kept_bytes(pool) >= 12 * mebibyte);
    of.answer_for_seconds(8);
    CHECK(kept_bytes(pool) <= 3 * mebibyte); // the magazines in use
    may_end.arrive_and_wait();
    for (std::thread &thread : threads) thread.join();
}

TEST_CASE("a thread that is busy has its magazines, however much lies idle") {
    if (tracked()) return;
    pool_guard pool;
    server of(pool);
    fill_and_free_at_random(pool, 60 * mebibyte);
    toft_fake_advance(100);
    of.answer();
    toft_fake_watch_locks([](toft_os_mutex *) { locks_taken++; }, [](toft_os_mutex *) {});
    for (int i = 0; i < 1000; i++) of.answer();
    toft_fake_watch_locks(nullptr, nullptr);
    CHECK(locks_taken <= 1000); // of 400,000 calls
}

TEST_CASE("a block that was given back in part stays of ordinary pages until it is full again") {
    if (tracked()) return;
    pool_guard pool;
    std::vector<char *> kept;
    const std::vector<char *> all = fill(pool, 60 * mebibyte / 1000, 1000);
    if (!has_flag(all.back(), "hg")) {
        free_all(pool, all, 1000);
        return; // the system has no huge pages, or doesn't say so
    }
    for (std::size_t i = 0; i < all.size(); i++) {
        if (i % 50 == 0)
            kept.push_back(all[i]);
        else
            toft_pool_free(pool, all[i], 1000);
    }
    char *const one = kept[kept.size() * 3 / 4];
    CHECK(has_flag(one, "hg"));
    server(pool).answer_for_seconds(8);
    CHECK(has_flag(one, "nh"));
    const std::vector<char *> again = fill(pool, 60 * mebibyte / 1000, 1000);
    CHECK(has_flag(one, "hg"));
    free_all(pool, again, 1000);
    free_all(pool, kept, 1000);
}
