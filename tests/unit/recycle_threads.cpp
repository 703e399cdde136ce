// SPDX-License-Identifier: MIT
// src/chunk/recycle.h and src/process: what threads keep of chunks when they end, and at a fork;
// and which chunks have huge pages early.
#include <doctest/doctest.h>

#include <barrier>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <thread>

#include <toft/arena.hpp>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/child.hpp"

using namespace toft_test;

namespace {

std::size_t live_mappings() { return toft_fake_get_counts().live_mappings; }

// A chunk's worth of memory, written to, in an arena of its own.
void use_arena(std::size_t bytes) {
    toft::arena arena;
    std::memset(arena.allocate(bytes), 'x', bytes);
}

} // namespace

// What one keeps, the other would hand out.
TEST_CASE("a thread that ends shares no record with one that begins meanwhile") {
    if (tracked()) return; // no thread keeps a chunk then
    struct context {
        std::barrier<> ending{2}, begun{2}, done{2};
        std::uintptr_t at_end = 0, kept = 0; // where their arenas' memory was
    } with;
    use_arena(1000); // makes Toft's key, whose function is called before that of the next one
    pthread_key_t key;
    REQUIRE(pthread_key_create(&key, [](void *argument) {
                auto *of = static_cast<context *>(argument);
                of->ending.arrive_and_wait();
                of->begun.arrive_and_wait();
                of->at_end = reinterpret_cast<std::uintptr_t>(toft::arena().allocate(8));
            }) == 0);
    std::thread ends([&] {
        use_arena(1000);
        pthread_setspecific(key, &with);
    });
    with.ending.arrive_and_wait();
    std::thread begins([&] {
        // Its chunk lies on the shelf now.
        with.kept = reinterpret_cast<std::uintptr_t>(toft::arena().allocate(8));
        with.begun.arrive_and_wait();
        with.done.arrive_and_wait();
    });
    ends.join();
    CHECK(with.at_end != with.kept);
    with.done.arrive_and_wait();
    begins.join();
    pthread_key_delete(key);
}

// As on a system without a barrier for all threads: what the others keep may be half changed.
TEST_CASE("a child takes over what the parent's threads keep, unless they couldn't be asked") {
    if (tracked()) return; // no thread keeps a chunk then
    for (bool refused : {false, true}) {
        CAPTURE(refused);
        CHECK(runs_in_child([=] {
            toft_trim();
            std::barrier<> used(2), forked(2);
            std::thread other([&] {
                use_arena(50000);
                used.arrive_and_wait();
                forked.arrive_and_wait();
            });
            used.arrive_and_wait();
            const std::size_t with_kept = live_mappings();
            if (refused) toft_fake_fail(1, false);
            CHILD_REQUIRE(runs_in_child([=] {
                toft_fake_work();
                toft_trim();
                CHILD_REQUIRE((live_mappings() == with_kept) == refused);
                use_arena(50000);
            }));
            toft_fake_work();
            forked.arrive_and_wait();
            other.join();
        }));
    }
}

TEST_CASE("threads whose ends can't be noticed leave no records behind") {
    if (tracked()) return; // no thread has a record then
    const std::size_t before = live_mappings();
    for (int i = 0; i < 300; i++) {
        std::thread([] {
            toft::arena arena;
            (void)arena.allocate(8);
            toft_fake_fail(1, false);
            arena.release();
            toft_fake_work();
        }).join();
        std::thread([] { use_arena(8); }).join();
    }
    CHECK(live_mappings() <= before + 2);
    toft_trim();
}

extern "C" { // of src/chunk/chunk.h, which is for C alone
bool toft_chunk_count_early(void);
void toft_chunk_uncount_early(void);
}

namespace {

// How many chunks of small arenas may still have huge pages.
unsigned early_chunks_left() {
    unsigned left = 0;
    while (toft_chunk_count_early()) left++;
    for (unsigned i = 0; i < left; i++) toft_chunk_uncount_early();
    return left;
}

} // namespace

TEST_CASE("huge pages are others' when a small arena has gone, or had no memory for them") {
    const unsigned most = early_chunks_left();
    REQUIRE(most != 0);
    {
        toft::arena arena;
        for (int i = 0; i < 15; i++) (void)arena.allocate(100000);
        CHECK(early_chunks_left() == most - 1);
    }
    CHECK(early_chunks_left() == most);
    toft_trim();
    toft_fake_fail(1, true);
    toft::arena first({.chunk_bytes = std::size_t(4) << 20});
    CHECK(first.try_allocate(8) == nullptr);
    toft_fake_work();
    CHECK(early_chunks_left() == most);
}
