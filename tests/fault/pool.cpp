// SPDX-License-Identifier: MIT
// The pool's upstream, and the system, failing at each of their calls, once and from then on:
// nothing is lost, and the pool goes on when there is memory again.
#include <doctest/doctest.h>

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include <toft/containers.hpp>
#include <toft/pool.hpp>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

struct object {
    void *bytes;
    std::size_t size;
};

// Allocates all that it can of many sizes, frees some, allocates again, frees all. Returns false
// where an object had lost its contents.
bool workload(toft_pool *pool) {
    std::vector<object> objects;
    bool intact = true;
    auto allocate_some = [&] {
        for (std::size_t size : {8u, 64u, 300u, 512u, 3000u, 30000u, 100000u}) {
            for (int i = 0; i < 70; i++) {
                void *p = toft_pool_alloc(pool, size);
                if (p == nullptr) break;
                std::memset(p, static_cast<int>(size % 251), size);
                objects.push_back({p, size});
            }
        }
    };
    auto free_down_to = [&](std::size_t count) {
        while (objects.size() > count) {
            auto [bytes, size] = objects[objects.size() / 2];
            intact = intact && static_cast<unsigned char *>(bytes)[size - 1] == size % 251;
            toft_pool_free(pool, bytes, size);
            objects[objects.size() / 2] = objects.back();
            objects.pop_back();
        }
    };
    allocate_some();
    free_down_to(objects.size() / 3);
    allocate_some();
    free_down_to(0);
    return intact;
}

bool all_sizes_work(toft_pool *pool) {
    for (std::size_t size : {8u, 64u, 300u, 512u, 3000u, 30000u, 100000u}) {
        void *p = toft_pool_alloc(pool, size);
        if (p == nullptr) return false;
        toft_pool_free(pool, p, size);
    }
    return true;
}

} // namespace

TEST_CASE("a pool whose upstream fails at any call loses nothing") {
    for (bool from_then_on : {false, true}) {
        for (std::size_t nth = 1;; nth++) {
            CAPTURE(nth);
            counting_upstream upstream;
            bool reached = false;
            {
                pool_guard pool({.upstream = upstream.c()});
                upstream.fail_at(nth, from_then_on);
                CHECK(workload(pool));
                std::thread([&] { CHECK(workload(pool)); }).join();
                reached = upstream.calls >= nth;
                upstream.work_again();
                CHECK(live_bytes(pool) == 0);
                CHECK(all_sizes_work(pool));
                CHECK(workload(pool));
                toft_pool_trim(pool);
                CHECK(upstream.live_bytes <= std::size_t{2} << 20);
            }
            CHECK(upstream.live_blocks() == 0);
            if (!reached) break;
        }
    }
}

TEST_CASE("C++: out of memory throws, and objects half made leave nothing") {
    counting_upstream upstream;
    toft::pool pool({.upstream = upstream.c()});
    upstream.fail_at(1, true);
    CHECK_THROWS_AS((void)pool.make<int>(1), std::bad_alloc);
    CHECK_THROWS_AS((void)pool.allocate(100000), std::bad_alloc);
    CHECK_THROWS_AS((toft::vector<int, toft::pool>(10, pool)), std::bad_alloc);
    upstream.work_again();
    pool.destroy(pool.make<int>(1));
    CHECK(pool.stats().live_bytes == 0);
}

namespace {

// Ends the child with 2 when there is no nth call.
void with_system_failing_at(std::size_t nth, bool from_then_on) {
    std::size_t last_call = toft_fake_get_counts().calls + nth;
    toft_fake_fail(nth, from_then_on);
    CHILD_REQUIRE(workload(toft_pool_shared()));
    std::thread([] { CHILD_REQUIRE(workload(toft_pool_shared())); }).join();
    if (toft_pool *own = toft_pool_create(nullptr)) {
        CHILD_REQUIRE(workload(own));
        toft_pool_destroy(own);
    }
    bool reached = toft_fake_get_counts().calls >= last_call;
    toft_fake_work();
    CHILD_REQUIRE(live_bytes(toft_pool_shared()) == 0);
    CHILD_REQUIRE(all_sizes_work(toft_pool_shared()));
    std::thread([] { CHILD_REQUIRE(all_sizes_work(toft_pool_shared())); }).join();
    toft_pool *own = toft_pool_create(nullptr);
    CHILD_REQUIRE(own != nullptr);
    CHILD_REQUIRE(workload(own));
    toft_pool_destroy(own);
    toft_pool_trim(toft_pool_shared());
    // The map of the address space stays: 1.5 MiB of addresses.
    CHILD_REQUIRE(toft_fake_get_counts().live_bytes <= std::size_t{4} << 20);
    if (!reached) _exit(2);
}

} // namespace

namespace {

bool holds(const void *object, std::size_t size, char stamp) {
    auto *bytes = static_cast<const char *>(object);
    return bytes[0] == stamp && bytes[size / 2] == stamp && bytes[size - 1] == stamp;
}

// Objects grow past every bound between classes, runs and mappings, and shrink again.
bool resizes(toft_pool *pool) {
    std::size_t size = 20;
    void *object = toft_pool_alloc(pool, size);
    if (object == nullptr) return true;
    bool intact = true;
    auto resize_to = [&](std::size_t new_size) {
        std::memset(object, 'x', size);
        void *resized = toft_pool_resize_any(pool, object, new_size);
        if (resized == nullptr) return;
        object = resized;
        intact = intact && holds(object, size < new_size ? size : new_size, 'x');
        size = new_size;
    };
    for (std::size_t wanted = 20; wanted < 20000000; wanted += wanted) resize_to(wanted);
    for (std::size_t wanted = size; wanted > 20; wanted /= 2) resize_to(wanted);
    toft_pool_free_any(pool, object);
    return intact;
}

} // namespace

TEST_CASE("a thread that finds no memory at its first call has a cache of its own later") {
    if (tracked()) return; // no thread has one then
    for (std::size_t nth = 1; nth <= 4; ++nth)
        for (const bool from_then_on : {true, false})
            CHECK(runs_in_child([=] {
                toft_pool *pool = toft_pool_create(nullptr); // nobody has left a cache in it
                toft_pool_free(pool, toft_pool_alloc(pool, 64), 64);
                const std::size_t caches = toft_pool_get_stats(pool).caches;
                std::thread([=] {
                    toft_fake_fail(nth, from_then_on);
                    void *object = toft_pool_alloc(pool, 64);
                    toft_fake_work();
                    toft_pool_free(pool, object, 64);
                    toft_pool_free(pool, toft_pool_alloc(pool, 64), 64);
                    CHILD_REQUIRE(toft_pool_get_stats(pool).caches == caches + 1);
                }).join();
            }));
}

TEST_CASE("resizing over a system that fails at any call loses nothing") {
    toft_trim(); // what other tests have left goes too, but for the map
    const std::size_t before = toft_fake_get_counts().live_bytes;
    for (bool from_then_on : {false, true}) {
        int ended = 0;
        for (std::size_t nth = 1; ended == 0; nth += case_step) {
            CAPTURE(nth);
            ended = exit_code_in_child([=] {
                std::size_t last_call = toft_fake_get_counts().calls + nth;
                toft_fake_fail(nth, from_then_on);
                CHILD_REQUIRE(resizes(toft_pool_shared()));
                bool reached = toft_fake_get_counts().calls >= last_call;
                toft_fake_work();
                CHILD_REQUIRE(live_bytes(toft_pool_shared()) == 0);
                CHILD_REQUIRE(resizes(toft_pool_shared()));
                CHILD_REQUIRE(live_bytes(toft_pool_shared()) == 0);
                toft_pool_trim(toft_pool_shared());
                // Two leaves of the map at most, one to spare, and a block of the heap.
                CHILD_REQUIRE(toft_fake_get_counts().live_bytes <= before + (std::size_t{5} << 20));
                if (!reached) _exit(2);
            });
            CHECK((ended == 0 || (ended == 2 && nth > 5)));
        }
    }
}

TEST_CASE("a pool over a system that fails at any call loses nothing") {
    for (bool from_then_on : {false, true}) {
        int ended = 0;
        for (std::size_t nth = 1; ended == 0; nth += case_step) {
            CAPTURE(nth);
            ended = exit_code_in_child([=] { with_system_failing_at(nth, from_then_on); });
            CHECK((ended == 0 || (ended == 2 && nth > 5)));
        }
    }
}

#if UINTPTR_MAX > 0xffffffff
TEST_CASE("memory that the map has no room for goes back to its upstream") {
    if (tracked() || thread_sanitizer) return; // the tool has memory of its own there
    static std::size_t given_bytes;            // and not taken back
    const auto take = [](void *, std::size_t bytes, std::size_t) -> void * {
        void *hint = reinterpret_cast<void *>(std::uintptr_t{1} << 41); // where no pool has any
        void *memory =
            mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        given_bytes += bytes;
        return memory == MAP_FAILED ? nullptr : memory;
    };
    const auto give = [](void *, void *memory, std::size_t bytes, std::size_t) {
        munmap(memory, bytes);
        given_bytes -= bytes;
    };
    CHECK(runs_in_child([&] {
        toft_upstream upstream = {take, give, nullptr};
        pool_guard pool({.upstream = &upstream});
        toft_fake_fail(1, true);
        CHILD_REQUIRE(toft_pool_alloc(pool, 2000000) == nullptr);
        CHILD_REQUIRE(given_bytes == 0);
        toft_fake_work();
        CHILD_REQUIRE(toft_pool_alloc(pool, 2000000) != nullptr);
    }));
}
#endif
