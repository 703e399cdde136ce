// SPDX-License-Identifier: MIT
// src/chunk/recycle.h through arenas: warm, bounded, and given back; across threads and forks.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

#include <toft/arena.hpp>

#include "os/fake/fake.h"
#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/child.hpp"

using namespace toft_test;

namespace {

std::size_t mappings_of_one_thread;

// The page of all threads' records but the first stays until the library is unloaded, and isn't
// counted.
const toft_fake_counts at_start = [] {
    auto use = [] {
        (void)toft::arena().allocate(1);
        toft_trim();
    };
    use();
    mappings_of_one_thread = toft_fake_get_counts().live_mappings;
    std::thread(use).join();
    toft_trim();
    return toft_fake_get_counts();
}();

toft_fake_counts counts() {
    toft_fake_counts now = toft_fake_get_counts();
    now.live_mappings -= at_start.live_mappings;
    now.live_bytes -= at_start.live_bytes;
    return now;
}

// What the process may keep: 64 MiB, 16 MiB more of runs, and the mapping that a shelf's chunks lie
// in.
constexpr std::size_t most_kept_bytes = std::size_t(64 + 16 + 4) << 20;

// A block's worth of memory, written to, in an arena of its own.
void use_arena(std::size_t bytes) {
    toft::arena arena;
    std::memset(arena.allocate(bytes), 'x', bytes);
}

} // namespace

TEST_CASE("a process of one thread keeps no mapping for itself") {
    CHECK(mappings_of_one_thread == 0);
}

TEST_CASE("chunks are powers of two, or multiples of the huge page") {
    auto reserved_for = [](std::size_t bytes) {
        toft::arena arena;
        (void)arena.allocate(bytes, 8);
        return arena.stats().reserved_bytes;
    };
    CHECK(reserved_for(1) == 64 << 10);
    CHECK(reserved_for(64 << 10) == 128 << 10);
    CHECK(reserved_for(15 << 20) == 16 << 20);
    CHECK(reserved_for(16 << 20) == 18 << 20);
}

TEST_CASE("what one arena released serves the next without the system") {
    for (std::size_t bytes : {100u, 60000u, 200000u, 900000u, 3000000u, 15000000u}) {
        use_arena(bytes);
        std::size_t calls = counts().calls;
        for (int i = 0; i < 100; i++) use_arena(bytes);
        CHECK(counts().calls == calls);
    }
}

TEST_CASE("an arena begins with the chunks that the last one filled") {
    toft_trim();
    const auto chunks_of_one = [] { // the last of them is left half empty
        arena_guard arena;
        std::vector<void *> chunks;
        for (std::size_t bytes = 0; bytes < std::size_t(11) << 20; bytes += 64 << 10) {
            void *object = toft_arena_alloc(arena, 64 << 10, 64);
            if (chunks.size() < toft_arena_get_stats(arena).chunks) chunks.push_back(object);
        }
        return chunks;
    };
    const std::vector<void *> first = chunks_of_one();
    CHECK(first.size() >= 4);
    CHECK(chunks_of_one() == first);
}

TEST_CASE("toft_trim gives everything back") {
    for (std::size_t bytes = 1000; bytes < 100000000; bytes *= 3) use_arena(bytes);
    CHECK(counts().live_mappings != 0);
    toft_trim();
    CHECK(counts().live_mappings == 0);
    CHECK(counts().live_bytes == 0);
    toft_trim();
    use_arena(1000);
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("what is kept is bounded") {
    toft_trim();
    for (std::size_t bytes : {1000u, 100000u, 1000000u, 4000000u}) {
        {
            std::vector<toft::arena> many(300);
            for (toft::arena &arena : many) (void)arena.allocate(bytes);
        }
        CHECK(counts().live_bytes <= most_kept_bytes);
    }
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("what is kept is bounded, mappings of their own and pieces of others together") {
    toft_trim();
    for (bool pieces_first : {false, true}) {
        CAPTURE(pieces_first);
        std::vector<toft::arena> mappings(40), pieces(150);
        for (toft::arena &arena : mappings) (void)arena.allocate(3000000);
        for (toft::arena &arena : pieces) (void)arena.allocate(900000);
        if (pieces_first) pieces.clear();
        mappings.clear();
        pieces.clear();
        CHECK(counts().live_bytes <= most_kept_bytes);
    }
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

namespace {

std::size_t returned_bytes;
void note_returned(std::size_t bytes) { returned_bytes += bytes; }

} // namespace

TEST_CASE("what is free beside chunks in use is bounded too, and goes back at a trim") {
    toft_trim();
    constexpr std::size_t count = 240, freed_bytes = (count * 2 / 3) << 20;
    std::vector<toft::arena> arenas(count); // three of them share a mapping of 4 MiB
    for (toft::arena &arena : arenas) (void)arena.allocate(900000);
    returned_bytes = 0;
    toft_fake_watch_returns(note_returned);
    for (std::size_t i = 0; i < count; i++)
        if (i % 3 != 0) arenas[i].release();
    CHECK(returned_bytes >= freed_bytes - most_kept_bytes);
    CHECK(returned_bytes < freed_bytes - (std::size_t(8) << 20)); // much of it is kept
    toft_trim();
    toft_fake_watch_returns(nullptr);
    CHECK(returned_bytes >= freed_bytes - (std::size_t(2) << 20));
    arenas.clear();
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("where a mapping that many share can't be had, a chunk gets one for itself") {
    toft_trim();
    toft_fake_fail(1, false);
    toft::arena arena;
    CHECK(arena.try_allocate(1000) != nullptr);
    toft_fake_work();
    CHECK(counts().live_bytes < 1 << 20);
}

TEST_CASE("one thread's exit leaves its blocks to the others") {
    toft_trim();
    std::thread([] { use_arena(50000); }).join();
    CHECK(counts().live_mappings == 1);
    std::size_t calls = counts().calls;
    {
        toft::arena arena;
        (void)arena.allocate(50000);
        CHECK(counts().calls == calls);
    }
    std::size_t live_mappings = counts().live_mappings;
    for (int i = 0; i < 50; i++) std::thread([] { use_arena(50000); }).join();
    CHECK(counts().live_mappings <= live_mappings + 1);
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("memory taken by one thread may be released by another") {
    toft_trim();
    for (int round = 0; round < 20; round++) {
        toft::arena arena;
        std::thread([&] { std::memset(arena.allocate(100000), 'x', 100000); }).join();
        std::thread([&arena] { toft::arena last_owner = std::move(arena); }).join();
    }
    CHECK(counts().live_mappings <= 2);
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("arenas may be used in a thread's last destructors") {
    struct at_the_end {
        toft::arena arena;
        ~at_the_end() {
            use_arena(1000);
            (void)arena.allocate(100000);
        }
    };
    // A key that is made after Toft's: its function runs after Toft's own.
    use_arena(1000);
    static pthread_key_t key;
    REQUIRE(pthread_key_create(&key, [](void *) {
                for (int i = 0; i < 10; i++) use_arena(1000);
            }) == 0);
    toft_trim();
    for (int i = 0; i < 10; i++)
        std::thread([] {
            static thread_local at_the_end early;
            (void)early.arena.allocate(8);
            use_arena(1000);
            static thread_local at_the_end late;
            (void)late.arena.allocate(8);
            pthread_setspecific(key, &key);
        }).join();
    pthread_key_delete(key);
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("many threads at once, with hand-over and trimming") {
    toft_trim();
    std::atomic<toft_arena *> shared = nullptr;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            for (unsigned i = 0; i < (fast_build ? 20000 : 1000); i++) {
                auto owned = std::make_unique<toft_arena>();
                std::size_t bytes = std::size_t(1000) << (i * 7 + t) % 14;
                void *memory = toft_arena_alloc(owned.get(), bytes, 8);
                std::memset(memory, 'x', bytes < 5000 ? bytes : 5000);
                std::unique_ptr<toft_arena> other(shared.exchange(owned.release()));
                if (other != nullptr) toft_arena_release(other.get());
                if (i % 100 == 99) toft_trim();
            }
        });
    for (std::thread &thread : threads) thread.join();
    std::unique_ptr<toft_arena> last(shared.load());
    toft_arena_release(last.get());
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

// Each new thread has a shelf at once, while another thread takes what lies on all shelves.
TEST_CASE("threads may begin while what others keep is taken") {
    std::atomic<bool> stop = false;
    std::thread trimmer([&] {
        while (!stop) toft_trim();
    });
    for (int i = 0; i < (fast_build ? 500 : 200); i++)
        std::thread([] {
            for (int j = 0; j < 200; j++) use_arena(50000);
        }).join();
    stop = true;
    trimmer.join();
    toft_trim();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("a child forked while other threads are inside can go on") {
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    // Larger than a shelf, so that each goes through the store's lock.
    for (int t = 0; t < 2; t++)
        threads.emplace_back([&] {
            while (!stop) use_arena(2000000);
        });
    for (int i = 0; i < (fast_build ? 200 : 40); i++)
        CHECK(runs_in_child([] {
            for (int j = 0; j < 3; j++) {
                use_arena(2000000);
                use_arena(1000);
            }
            toft_trim();
        }));
    stop = true;
    for (std::thread &thread : threads) thread.join();
}

TEST_CASE("before it says that there is no memory, an arena takes what is recycled") {
    toft_trim();
    use_arena(1000000);
    use_arena(10000000);
    CHECK(counts().live_mappings >= 2);
    {
        toft_fake_fail(1, false); // the system is full, until something is given back
        toft::arena arena;
        CHECK(arena.try_allocate(30000000) != nullptr);
        CHECK(counts().live_mappings == 1);
    }
    toft_fake_work();
    CHECK(counts().live_mappings == 0);
}

TEST_CASE("what is idle goes back by itself, also where more was idle before a trim") {
    constexpr std::size_t run_bytes = 1000000, mapped_bytes = 20000000;
    // Calls that neither take from the store nor leave anything there.
    auto rest = [] {
        toft_fake_advance(10000);
        for (int i = 0; i < 16; i++) (void)toft::arena().allocate(mapped_bytes);
    };
    toft_trim();
    std::vector<toft::arena> early(24), late(12);
    for (auto *arenas : {&early, &late})
        for (toft::arena &arena : *arenas) (void)arena.allocate(run_bytes);
    early.clear();
    rest();
    toft_trim();
    late.clear();
    CHECK(counts().live_mappings > 1);
    rest();
    CHECK(counts().live_mappings > 1); // all was in use since the last step
    rest();
    CHECK(counts().live_mappings <= 1); // of the run that the thread keeps
}

TEST_CASE("what arenas left goes back while a thread makes small ones") {
    if (tracked()) return; // no thread keeps a chunk then
    auto fill = [] {
        toft::arena arena;
        for (int i = 0; i < 40; i++) (void)arena.allocate(1000000);
    };
    auto answer = [](unsigned times, int each_ms) {
        for (unsigned i = 0; i < times; i++) {
            toft_fake_advance(each_ms);
            (void)toft::arena().allocate(8);
        }
    };
    fill();
    answer(1, 0); // this and the next ones need nothing but the thread's own chunk
    SUBCASE("ten a second") { answer(80, 100); }
    SUBCASE("a thousand a second") { answer(8000, 1); }
    SUBCASE("one in ten seconds") { answer(70, 10000); }
    SUBCASE("after many at once") {
        answer(100000, 0);
        answer(300, 100);
    }
    CHECK(counts().live_mappings <= 1);
}
