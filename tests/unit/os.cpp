// SPDX-License-Identifier: MIT
// src/os/os.h: what each system owes, asked of the real one behind the fake.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include "os/fake/fake.h"
#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/mappings.hpp"

using namespace toft_test;

TEST_CASE("the page size is a power of two") {
    std::size_t page_bytes = toft_os_page_bytes();
    CHECK(page_bytes >= 4096);
    CHECK((page_bytes & (page_bytes - 1)) == 0);
}

TEST_CASE("mappings are zeroed, aligned as asked, and usable to the last byte") {
    std::size_t page_bytes = toft_os_page_bytes(), mapped = mapped_pages();
    for (std::size_t alignment = 1; alignment <= std::size_t(64) << 20; alignment *= 2) {
        for (std::size_t pages : {1u, 3u, 513u}) {
            std::size_t bytes = pages * page_bytes;
            auto *memory = static_cast<char *>(toft_os_map(bytes, alignment));
            REQUIRE(memory != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
            CHECK(memory[0] == 0);
            CHECK(std::memcmp(memory, memory + 1, bytes - 1) == 0);
            std::memset(memory, 'x', bytes);
            toft_os_discard(memory, bytes);
            CHECK(memory[0] == 0);
            CHECK(std::memcmp(memory, memory + 1, bytes - 1) == 0);
            toft_os_unmap(memory, bytes);
        }
    }
    if (!address_sanitizer && !thread_sanitizer) CHECK(mapped_pages() <= mapped + 16);
}

namespace {

// Until the process may have no mapping more. False where that would be very many.
bool use_up_all_mappings() {
    std::size_t most = SIZE_MAX;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    if (most > 200'000) return false;
    const std::size_t page_bytes = toft_os_page_bytes(), bytes = 2 * most * page_bytes;
    auto *begin = static_cast<char *>(
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    CHILD_REQUIRE(begin != MAP_FAILED);
    for (std::size_t at = 0; at < bytes; at += 2 * page_bytes)
        if (mprotect(begin + at, page_bytes, PROT_READ) != 0) return true;
    return false;
}

} // namespace

TEST_CASE("what the system doesn't unmap, for want of mappings, has no memory any more") {
    if (address_sanitizer || thread_sanitizer) return; // they need mappings, too
    CHECK(runs_in_child([] {
        const std::size_t page_bytes = toft_os_page_bytes();
        auto *memory = static_cast<char *>(toft_os_map(3 * page_bytes, page_bytes));
        CHILD_REQUIRE(memory != nullptr);
        std::memset(memory, 'x', 3 * page_bytes);
        if (!use_up_all_mappings()) return;
        toft_os_unmap(memory + page_bytes, page_bytes); // would leave a hole
        CHILD_REQUIRE(memory[page_bytes] == 0);
        CHILD_REQUIRE(memory[page_bytes - 1] == 'x' && memory[2 * page_bytes] == 'x');
    }));
}

TEST_CASE("populating a part of a mapping changes nothing that is read") {
    std::size_t page_bytes = toft_os_page_bytes(), bytes = 8 * page_bytes;
    auto *memory = static_cast<char *>(toft_os_map(bytes, page_bytes));
    REQUIRE(memory != nullptr);
    memory[3 * page_bytes + 5] = 'x';
    toft_os_populate(memory + page_bytes + 100, 4 * page_bytes);
    for (std::size_t i = 0; i < bytes; i++)
        REQUIRE(memory[i] == (i == 3 * page_bytes + 5 ? 'x' : 0));
    toft_os_unmap(memory, bytes);
}

TEST_CASE("a page is resident once it was touched, or populated") {
    std::size_t page_bytes = toft_os_page_bytes(), bytes = 8 * page_bytes;
    auto *memory = static_cast<char *>(toft_os_map_ordinary(bytes, page_bytes));
    REQUIRE(memory != nullptr);
    toft_os_prefer_ordinary(memory, bytes);
    auto resident_pages = [&](std::size_t first, unsigned pages) {
        return toft_os_resident_pages(memory + first * page_bytes, pages * page_bytes, pages);
    };
    memory[page_bytes] = 'x';
    if (resident_pages(1, 1) == 1 && resident_pages(0, 1) == 0) { // as where the system tells
        memory[7 * page_bytes] = 'x';
        CHECK(resident_pages(2, 6) == 1);
        toft_os_discard(memory, bytes);
        toft_os_populate(memory + 4 * page_bytes, 2 * page_bytes);
        const unsigned populated = resident_pages(4, 2);
        CHECK((populated == 0 || populated == 2)); // older systems don't
        toft_os_discard(memory, bytes);
        toft_os_populate(memory + 4 * page_bytes + 100, 2 * page_bytes - 200);
        CHECK(resident_pages(4, 2) == populated);
        toft_os_discard(memory, bytes);
        CHECK(resident_pages(0, 8) == 0);
    }
    toft_os_unmap(memory, bytes);
}

TEST_CASE("the first touch of what is no huge page is one page's, the first or the last") {
    std::size_t page_bytes = toft_os_page_bytes();
    auto *memory =
        static_cast<char *>(toft_os_map_ordinary(TOFT_HUGE_PAGE_BYTES, TOFT_HUGE_PAGE_BYTES));
    REQUIRE(memory != nullptr);
    toft_os_prefer_ordinary(memory, TOFT_HUGE_PAGE_BYTES);
    char *last_page = memory + TOFT_HUGE_PAGE_BYTES - page_bytes;
    const bool tells = toft_os_resident_pages(last_page, page_bytes, 1) == 0;
    toft_os_discard(memory, TOFT_HUGE_PAGE_BYTES);
    toft_os_touch_huge_page(memory);
    if (tells) {
        const unsigned first = toft_os_resident_pages(memory, page_bytes, 1);
        CHECK(first + toft_os_resident_pages(last_page, page_bytes, 1) == 1);
    }
    CHECK(std::all_of(memory, memory + TOFT_HUGE_PAGE_BYTES, [](char c) { return c == 0; }));
    toft_os_unmap(memory, TOFT_HUGE_PAGE_BYTES);
}

TEST_CASE("the pages that are looked at lie all over the memory") {
    std::size_t page_bytes = toft_os_page_bytes();
    constexpr unsigned parts = 32, part_pages = 16;
    const std::size_t bytes = parts * part_pages * page_bytes;
    auto *memory = static_cast<char *>(toft_os_map_ordinary(bytes, page_bytes));
    REQUIRE(memory != nullptr);
    toft_os_prefer_ordinary(memory, bytes);
    const bool tells = toft_os_resident_pages(memory, bytes, parts) == 0;
    // The first pages of slots as long as a part, or as two or four of its pages.
    for (std::size_t slot_pages : {2U, 4U, 16U}) {
        toft_os_discard(memory, bytes);
        for (std::size_t i = 0; i < bytes; i += slot_pages * page_bytes) memory[i] = 'x';
        if (tells) CHECK(toft_os_resident_pages(memory, bytes, parts) <= parts / slot_pages);
    }
    for (std::size_t i = 0; i < bytes; i += page_bytes) memory[i] = 'x';
    const unsigned pages = toft_os_resident_pages(memory, bytes, parts);
    CHECK((pages == parts || pages == 0)); // it can't tell
    toft_os_unmap(memory, bytes);
}

TEST_CASE("a mapping that can't be had is NULL") {
    std::size_t page_bytes = toft_os_page_bytes();
    for (std::size_t bytes = (SIZE_MAX / page_bytes) * page_bytes; bytes > SIZE_MAX / 1024;
         bytes = bytes / 2 / page_bytes * page_bytes) {
        CHECK(toft_os_map(bytes, page_bytes) == nullptr);
        CHECK(toft_os_map(bytes, TOFT_HUGE_PAGE_BYTES) == nullptr);
        CHECK(toft_os_map(page_bytes, std::bit_floor(bytes)) == nullptr);
    }
}

TEST_CASE("the system refuses a mapping that it can never fill, unless it is told not to") {
    int overcommits = 1;
    std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommits;
    const unsigned tebibytes_shift = 44;
    if (overcommits == 1 || sizeof(std::size_t) * 8 <= tebibytes_shift) return;
    CHECK(toft_os_map(std::size_t{1} << tebibytes_shift, 4096) == nullptr);
}

TEST_CASE("no mapping is longer than the longest that the system tells") {
    std::size_t most = toft_os_mapping_max_bytes(), page_bytes = toft_os_page_bytes();
    CHECK(most >= std::size_t{1} << 30);
    for (std::size_t bytes = SIZE_MAX / page_bytes * page_bytes; bytes > most;
         bytes = bytes / 2 / page_bytes * page_bytes)
        CHECK(toft_os_map(bytes, page_bytes) == nullptr);
}

TEST_CASE("a lock that is all zero excludes") {
    static toft_os_mutex mutex;
    static int count;
    count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([] {
            for (int i = 0; i < 10000; i++) {
                toft_os_lock(&mutex);
                count++;
                toft_os_unlock(&mutex);
            }
        });
    for (std::thread &thread : threads) thread.join();
    CHECK(count == 40000);
}

TEST_CASE("a key's function is called at the exit of threads that set a value") {
    static std::atomic<int> exits;
    exits = 0;
    toft_os_key key;
    REQUIRE(toft_os_key_create(&key, [](void *value) { exits += *static_cast<int *>(value); }));
    int one = 1;
    std::thread([&] { CHECK(toft_os_key_set(key, &one)); }).join();
    CHECK(exits == 1);
    std::thread([] {}).join();
    std::thread([&] {
        CHECK(toft_os_key_set(key, &one));
        CHECK(toft_os_key_set(key, nullptr));
    }).join();
    CHECK(exits == 1);
    std::thread late([&] {
        CHECK(toft_os_key_set(key, &one));
        toft_os_key_delete(key);
    });
    late.join();
    CHECK(exits == 1);
}

TEST_CASE("functions run before a fork, and behind it in parent and child") {
    CHECK(runs_in_child([] { // the handlers stay for good
        static int before, in_parent, in_child;
        CHILD_REQUIRE(toft_os_at_fork([] { before++; }, [] { in_parent++; }, [] { in_child++; }));
        CHILD_REQUIRE(
            runs_in_child([] { CHILD_REQUIRE(before == 1 && in_parent == 0 && in_child == 1); }));
        CHILD_REQUIRE(before == 1 && in_parent == 1 && in_child == 0);
    }));
}

TEST_CASE("a thread keeps its number in the child of a fork, and shares it with no other thread") {
    std::uintptr_t mine = toft_os_thread_id(), others = 0;
    CHECK(mine != 0);
    std::thread([&] { others = toft_os_thread_id(); }).join();
    CHECK(others != mine);
    CHECK(runs_in_child([=] { CHILD_REQUIRE(toft_os_thread_id() == mine); }));
}

// Whoever waits may hold locks, and to allocate is no cancellation point.
TEST_CASE("no thread ends while it lets others run, however long it has waited") {
    static std::atomic<unsigned> passed;
    passed = 0;
    std::thread([] {
        pthread_cancel(pthread_self());
        for (unsigned looks : {0U, 1000000U}) {
            toft_os_yield(looks);
            passed++;
        }
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); // before the thread's own exit
    }).join();
    CHECK(passed == 2);
}

TEST_CASE("processors are those that may run the process, and the fake can have more") {
    CHECK(toft_os_processors() >= 1);
    cpu_set_t all, one;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    CHECK(toft_os_processors() == unsigned(CPU_COUNT(&all)));
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(toft_os_processors() == 1);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    toft_fake_set_processors(64);
    CHECK(toft_os_processors() == 64);
    toft_fake_set_processors(0);
    CHECK(toft_os_processors() == unsigned(CPU_COUNT(&all)));
}

TEST_CASE("the system has a barrier in all threads, and the fake can refuse it") {
    // What the barrier is for is tested by the model checker and under load. Here it only has to
    // exist.
    CHECK(toft_os_barrier_in_all_threads());
    toft_fake_fail(1, false);
    CHECK(!toft_os_barrier_in_all_threads());
    toft_fake_work();
}

TEST_CASE("the fake fails once or from then on, and counts") {
    toft_fake_counts before = toft_fake_get_counts();
    std::size_t page_bytes = toft_os_page_bytes();
    toft_fake_fail(2, false);
    void *first = toft_os_map(page_bytes, 1);
    CHECK(first != nullptr);
    CHECK(toft_os_map(page_bytes, 1) == nullptr);
    void *third = toft_os_map(page_bytes, 1);
    CHECK(third != nullptr);
    CHECK(toft_fake_get_counts().live_mappings == before.live_mappings + 2);
    CHECK(toft_fake_get_counts().live_bytes == before.live_bytes + 2 * page_bytes);
    toft_fake_fail(1, true);
    for (int i = 0; i < 3; i++) CHECK(toft_os_map(page_bytes, 1) == nullptr);
    toft_fake_work();
    toft_os_unmap(first, page_bytes);
    toft_os_unmap(third, page_bytes);
    CHECK(toft_fake_get_counts().live_mappings == before.live_mappings);
}
