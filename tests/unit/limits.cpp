// SPDX-License-Identifier: MIT
// Limits, upstreams that take nothing back, and a system that has no more: what is idle is used
// before NULL is returned, and limits count what was taken.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <toft/arena.hpp>
#include <toft/pool.h>
#include <toft/reap.hpp>

#include "support/arena_guard.hpp"
#include "support/buffer_upstream.hpp"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"
#include "support/reap_guard.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

unsigned fewer_when_slow(unsigned count) { return fast_build ? count : count / 10; }

// Random objects of 33 KB to largest, up to so many bytes of them live: none may be refused.
template <class Alloc, class Free>
void churn(std::size_t most_live_bytes, std::size_t largest, Alloc alloc, Free free) {
    struct object {
        unsigned char *memory;
        std::size_t size;
    };
    std::minstd_rand random(5);
    std::vector<object> live;
    std::size_t live_bytes = 0;
    for (unsigned step = 0; step < fewer_when_slow(20000); step++) {
        std::size_t size = 33000 + random() % (random() % (largest - 33000) + 1);
        while (live_bytes + size > most_live_bytes) {
            std::swap(live[random() % live.size()], live.back());
            REQUIRE(live.back().memory[0] == live.back().size % 251);
            REQUIRE(live.back().memory[live.back().size - 1] == live.back().size % 251);
            live_bytes -= live.back().size;
            free(live.back().memory, live.back().size);
            live.pop_back();
        }
        auto *memory = static_cast<unsigned char *>(alloc(size));
        REQUIRE(memory != nullptr);
        memory[0] = memory[size - 1] = static_cast<unsigned char>(size % 251);
        live.push_back({memory, size});
        live_bytes += size;
    }
    for (const object &each : live) free(each.memory, each.size);
}

} // namespace

// --- upstreams that take nothing back ---

TEST_CASE("an arena keeps what its upstream doesn't take back, within its limit") {
    buffer_upstream upstream(64 * mebibyte);
    arena_guard arena({.upstream = upstream.c(), .limit_bytes = 4 * mebibyte});
    for (int round = 0; round < 200; round++) {
        for (std::size_t size = 1000; size < 1500000; size *= 3) {
            auto *p = static_cast<char *>(toft_arena_alloc(arena, size, 8));
            REQUIRE(p != nullptr);
            std::memset(p, round, size);
        }
        CHECK(toft_arena_get_stats(arena).reserved_bytes == upstream.taken_bytes);
        if (round % 2 == 0)
            toft_arena_release(arena);
        else
            toft_arena_reset(arena);
        CHECK(toft_arena_get_stats(arena).used_bytes == 0);
        if (round % 2 != 0) continue;
        CHECK(toft_arena_get_stats(arena).upstream_allocations == 0); // since the release
        CHECK(toft_arena_get_stats(arena).high_water_bytes == 0);
    }
    CHECK(upstream.taken_bytes <= 4 * mebibyte);
}

TEST_CASE("kept chunks that are too small become part of a larger one") {
    buffer_upstream upstream(8 * mebibyte);
    arena_guard arena({.upstream = upstream.c()});
    for (std::size_t size = 100000; size < 3 * mebibyte; size += 100000) {
        REQUIRE(toft_arena_alloc(arena, size, 8) != nullptr);
        toft_arena_reset(arena);
    }
}

TEST_CASE("what lies behind a chunk's last object is poisoned, whatever follows the chunk") {
    if (!address_sanitizer) return;
    buffer_upstream upstream(mebibyte);
    arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 1024});
    for (int i = 0; i < 1000; i++) {
        auto *object = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
        REQUIRE(object != nullptr);
        CHECK(poisoned(object + 8));
    }
}

TEST_CASE("what an arena keeps after its release is its owner's, each piece of it") {
    alignas(16) static char buffer[1 << 20];
    static std::size_t taken_bytes;
    taken_bytes = 0;
    const auto take = [](void *, std::size_t bytes, std::size_t) -> void * {
        char *memory = buffer + taken_bytes;
        taken_bytes += (bytes + 127) / 64 * 64; // so that no two of them touch each other
        return taken_bytes <= sizeof buffer ? memory : nullptr;
    };
    const toft_upstream upstream = {take, nullptr, nullptr};
    arena_guard arena({.upstream = &upstream, .chunk_bytes = 1024});
    for (int i = 0; i < 100; i++) REQUIRE(toft_arena_alloc(arena, 900, 8) != nullptr);
    toft_arena_release(arena);
    for (std::size_t i = 0; i < taken_bytes; i++) REQUIRE_FALSE(poisoned(buffer + i));
}

TEST_CASE("keep_bytes means nothing to an upstream that takes nothing back") {
    buffer_upstream upstream(16 * mebibyte);
    arena_guard arena({.upstream = upstream.c(), .keep_bytes = TOFT_KEEP_NOTHING});
    std::size_t taken_bytes = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 1000; i++) REQUIRE(toft_arena_alloc(arena, 5000, 8) != nullptr);
        if (round == 0) taken_bytes = upstream.taken_bytes;
        toft_arena_reset(arena);
    }
    CHECK(upstream.taken_bytes == taken_bytes);
}

TEST_CASE("a first buffer before an upstream that takes nothing back") {
    alignas(16) char buffer[1000];
    buffer_upstream upstream(8 * mebibyte);
    arena_guard arena(
        {.upstream = upstream.c(), .first_buffer = buffer, .first_buffer_bytes = sizeof buffer});
    for (int round = 0; round < 100; round++) {
        auto *first = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
        CHECK((first >= buffer && first < buffer + sizeof buffer));
        for (int i = 0; i < 100; i++) REQUIRE(toft_arena_alloc(arena, 10000, 8) != nullptr);
        toft_arena_release(arena);
    }
}

TEST_CASE("a reap over a buffer doesn't run dry with little live") {
    buffer_upstream upstream(64 * mebibyte);
    reap_guard reap({.upstream = upstream.c()});
    for (int round = 0; round < 3; round++) {
        churn(
            8 * mebibyte, 3 * mebibyte,
            [&](std::size_t size) { return toft_reap_alloc(reap, size, 16); },
            [&](void *memory, std::size_t size) { toft_reap_free(reap, memory, size, 16); });
        CHECK(toft_reap_get_stats(reap).used_bytes <= 4096);
        toft_reap_release(reap);
    }
    CHECK(upstream.taken_bytes <= 24 * mebibyte);
    CHECK(toft_reap_alloc(reap, 40 * mebibyte, 8) != nullptr);
}

TEST_CASE("a vector that grows in a reap over a buffer") {
    buffer_upstream upstream(64 * mebibyte);
    reap_guard reap({.upstream = upstream.c()});
    for (int round = 0; round < 20; round++) {
        void *grown = toft_reap_alloc(reap, 40000, 8);
        std::size_t size = 40000;
        for (; size < 10 * mebibyte; size *= 2) {
            grown = toft_reap_resize(reap, grown, size, size * 2, 8);
            REQUIRE(grown != nullptr);
        }
        toft_reap_free(reap, grown, size, 8);
    }
}

TEST_CASE("what small objects of a reap held serves large ones after a reset") {
    buffer_upstream upstream(32 * mebibyte);
    reap_guard reap({.upstream = upstream.c()});
    while (toft_reap_alloc(reap, 1000, 8) != nullptr) {}
    toft_reap_reset(reap);
    void *large = toft_reap_alloc(reap, 20 * mebibyte, 8);
    CHECK(large != nullptr);
    CHECK(toft_reap_alloc(reap, 1000, 8) != nullptr);
}

TEST_CASE("a pool's large objects over a buffer don't run dry with little live") {
    buffer_upstream upstream(64 * mebibyte);
    pool_guard pool({.upstream = upstream.c()});
    for (std::size_t largest : {mebibyte, 4 * mebibyte, 100000 * std::size_t{1}})
        churn(
            8 * mebibyte, largest, [&](std::size_t size) { return toft_pool_alloc(pool, size); },
            [&](void *memory, std::size_t size) { toft_pool_free(pool, memory, size); });
    toft_pool_trim(pool);
    CHECK(toft_pool_get_stats(pool).live_bytes == 0);
    CHECK(upstream.taken_bytes <= 32 * mebibyte);
    void *most = toft_pool_alloc(pool, 30 * mebibyte);
    CHECK(most != nullptr);
    toft_pool_free(pool, most, 30 * mebibyte);
}

// --- limits ---

TEST_CASE("a reap of 100,000 bytes gives 40,000, before and after small objects") {
    for (bool own_upstream : {false, true})
        for (bool small_first : {false, true}) {
            counting_upstream upstream;
            toft_reap_options options = {.limit_bytes = 100000};
            if (own_upstream) options.upstream = upstream.c();
            reap_guard reap(options);
            if (small_first) CHECK(toft_reap_alloc(reap, 24, 8) != nullptr);
            void *one = toft_reap_alloc(reap, 40000, 8);
            CHECK(one != nullptr);
            void *two = toft_reap_alloc(reap, 40000, 8);
            CHECK(two != nullptr);
            CHECK(toft_reap_alloc(reap, 40000, 8) == nullptr);
            toft_reap_free(reap, one, 40000, 8);
            CHECK(toft_reap_alloc(reap, 39000, 8) != nullptr);
            CHECK(toft_reap_get_stats(reap).reserved_bytes <= 100000);
        }
}

TEST_CASE("a chunk near a limit takes what is left of it") {
    std::size_t limit_bytes = 8 * mebibyte + 65536;
    arena_guard arena({.limit_bytes = limit_bytes});
    CHECK(toft_arena_alloc(arena, 8 * mebibyte, 8) != nullptr);
    CHECK(toft_arena_get_stats(arena).reserved_bytes <= limit_bytes);
    arena_guard filled({.limit_bytes = limit_bytes});
    std::size_t had_bytes = 0;
    while (toft_arena_alloc(filled, 1000, 8) != nullptr) had_bytes += 1000;
    CHECK(had_bytes >= limit_bytes * 15 / 16 - (tracked() ? limit_bytes / 30 : 0));
    CHECK(toft_arena_get_stats(filled).reserved_bytes <= limit_bytes);
}

TEST_CASE("a pool at its limit leaves what is idle in other pools") {
    if (tracked()) return; // there are no caches
    // On a slow machine, half of what is idle may decay meanwhile: not each time.
    bool was_left = false;
    for (int attempt = 0; attempt < 20 && !was_left; attempt++) {
        pool_guard other, limited({.limit_bytes = std::size_t(4) << 20});
        std::vector<void *> objects(20000);
        for (void *&object : objects) object = toft_pool_alloc(other, 100);
        for (void *object : objects) toft_pool_free(other, object, 100);
        std::size_t cached_bytes = toft_pool_get_stats(other).cached_bytes;
        while (toft_pool_alloc(limited, 100) != nullptr) {}
        CHECK(toft_pool_alloc(limited, 1000000) == nullptr);
        was_left = cached_bytes != 0 && toft_pool_get_stats(other).cached_bytes == cached_bytes;
    }
    CHECK(was_left);
}

TEST_CASE("an inline arena holds in itself what it says") {
    if (tracked()) return; // poisoned bytes surround each object
    toft::inline_arena<1> one;
    CHECK(one.try_allocate(1, 1) != nullptr);
    CHECK(one.stats().upstream_allocations == 0);
    toft::inline_arena<100> hundred;
    for (int i = 0; i < 12; i++) CHECK(hundred.try_allocate(8, 8) != nullptr);
    CHECK(hundred.try_allocate(4, 4) != nullptr);
    CHECK(hundred.stats().upstream_allocations == 0);
    toft::inline_reap<1> reap;
    CHECK(reap.try_allocate(1, 1) != nullptr);
    CHECK(reap.stats().upstream_allocations == 0);
}

TEST_CASE("an upstream that is all zero is the system") {
    static constexpr toft_upstream zero = {};
    arena_guard arena({.upstream = &zero});
    CHECK(toft_arena_alloc(arena, 100, 8) != nullptr);
    CHECK(toft_arena_alloc(arena, 5000000, 8) != nullptr);
    reap_guard reap({.upstream = &zero});
    CHECK(toft_reap_alloc(reap, 100, 8) != nullptr);
    CHECK(toft_reap_alloc(reap, 5000000, 8) != nullptr);
}

// --- a full address space ---

namespace {

// Allocates objects of a size until there is no memory, and frees all of them. Returns how many
// there were.
template <class Alloc, class Free>
std::size_t fill(Alloc alloc, Free free) {
    static void *objects[100000]; // malloc would take its memory from the same address space
    std::size_t count = 0;
    while (void *object = alloc()) {
        CHILD_REQUIRE(count < std::size(objects));
        std::memset(object, 'x', 100);
        objects[count++] = object;
    }
    for (std::size_t i = 0; i < count; i++) free(objects[i]);
    return count;
}

void limit_address_space(std::size_t more_bytes) {
    std::size_t pages = 0;
    if (FILE *file = std::fopen("/proc/self/statm", "r")) {
        CHILD_REQUIRE(std::fscanf(file, "%zu", &pages) == 1);
        std::fclose(file);
    }
    std::size_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
    rlimit limit = {bytes, bytes};
    CHILD_REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

} // namespace

TEST_CASE("a full address space: NULL, after all that is idle was used, and then all as before") {
    if (address_sanitizer || thread_sanitizer) return; // their shadows need it
    CHECK(runs_in_child([] {
        limit_address_space(200 * mebibyte);
        toft_pool *pool = toft_pool_create(nullptr);
        CHILD_REQUIRE(pool != nullptr);
        for (std::size_t size : {40000u, 700000u, 3000000u, 60000u}) {
            for (int round = 0; round < 2; round++) {
                toft_arena arena = TOFT_ARENA_INIT;
                std::size_t in_arena =
                    fill([&] { return toft_arena_alloc(&arena, size, 8); }, [](void *) {});
                CHILD_REQUIRE(toft_arena_alloc(&arena, size, 8) == nullptr);
                toft_arena_reset(&arena);
                CHILD_REQUIRE(toft_arena_alloc(&arena, size, 8) != nullptr);
                toft_arena_release(&arena);
                toft_reap reap = TOFT_REAP_INIT;
                std::size_t in_reap =
                    fill([&] { return toft_reap_alloc(&reap, size, 8); },
                         [&](void *object) { toft_reap_free(&reap, object, size, 8); });
                toft_reap_release(&reap);
                toft_trim(); // from arena to pool
                std::size_t in_pool =
                    fill([&] { return toft_pool_alloc(pool, size); },
                         [&](void *object) { toft_pool_free(pool, object, size); });
                toft_pool_trim(pool); // from pool to arena
                CHILD_REQUIRE(in_arena * size >= 120 * mebibyte);
                CHILD_REQUIRE(in_reap * size >= 90 * mebibyte);
                CHILD_REQUIRE(in_pool * size >= 140 * mebibyte);
            }
        }
        toft_pool_destroy(pool);
    }));
}

TEST_CASE("an arena's statistics don't look at the chunks between its first and its current one") {
    arena_guard arena;
    const std::size_t size = 5 * mebibyte; // each has a chunk of its own
    void *objects[4];
    for (void *&object : objects) {
        object = toft_arena_alloc(arena, size, 8);
        REQUIRE(object != nullptr);
    }
    const std::size_t page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    char *second = static_cast<char *>(objects[1]);
    char *header = second - reinterpret_cast<std::uintptr_t>(second) % page_bytes;
    REQUIRE(mprotect(header, page_bytes, PROT_NONE) == 0);
    const toft_arena_stats stats = toft_arena_get_stats(arena);
    REQUIRE(mprotect(header, page_bytes, PROT_READ | PROT_WRITE) == 0);
    CHECK(stats.chunks == 4);
    CHECK(stats.used_bytes >= 4 * size);
}
