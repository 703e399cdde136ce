// SPDX-License-Identifier: MIT
// <toft/arena.h>: upstream, first buffer, chunk size, limit and what is kept.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include <toft/arena.h>

#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

TEST_CASE("a first buffer is used first, at any address") {
    alignas(64) static char buffer[2048 + 64];
    for (std::size_t offset = 0; offset < 64; offset++) {
        counting_upstream upstream;
        char *given = buffer + offset;
        {
            arena_guard arena(
                {.upstream = upstream.c(), .first_buffer = given, .first_buffer_bytes = 2048});
            CHECK(toft_arena_get_stats(arena).chunks == 1);
            for (int i = 0; i < 10; i++) {
                auto *p = static_cast<char *>(toft_arena_alloc(arena, 100, 8));
                CHECK(reinterpret_cast<std::uintptr_t>(p) % 8 == 0);
                CHECK(p >= given + TOFT_FIRST_BUFFER_OVERHEAD_BYTES);
                CHECK(p + 100 <= given + 2048);
                std::memset(p, 'x', 100);
            }
            CHECK(upstream.calls == 0);
            REQUIRE(toft_arena_alloc(arena, 2000, 8) != nullptr);
            CHECK(upstream.calls == 1);
            toft_arena_reset(arena);
            auto *p = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
            CHECK(p > given);
            CHECK(p < given + 2048);
            CHECK(upstream.live_blocks() == 1);
            toft_arena_release(arena);
            CHECK(upstream.live_blocks() == 0);
            p = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
            CHECK(p > given);
            CHECK(p < given + 2048);
            CHECK(upstream.calls == 1);
        }
        std::memset(given, 'y', 2048); // it is the caller's again
    }
}

#if UINTPTR_MAX > UINT32_MAX
static_assert(sizeof(toft_arena) <= 80, "gcc clears larger structs with a slow loop");
#endif

// Inlined allocation doesn't write the ledger of the first chunk. Each of these must do without it.
static void check_unopened(const toft_arena_options &options, std::size_t first_bytes) {
    arena_guard arena(options);
    auto used = [&] { return toft_arena_get_stats(arena).used_bytes; };
    auto *first = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
    REQUIRE(first != nullptr);
    const std::size_t begun = used();

    SUBCASE("its statistics") {
        void *object = toft_arena_alloc(arena, 104, 8);
        std::size_t full = used();
        CHECK(full >= 112);
        CHECK(toft_arena_free_last(arena, object, 104));
        CHECK(used() < 112);
        toft_arena_stats before = toft_arena_get_stats(arena);
        CHECK(before.high_water_bytes == full);
        CHECK(before.reserved_bytes == first_bytes);
        CHECK(before.chunks == 1);
        CHECK(before.upstream_allocations == (options.first_buffer == nullptr));
        toft_arena_reset(arena); // lays them out
        CHECK(used() == 0);
        CHECK(toft_arena_get_stats(arena).high_water_bytes == full);
        CHECK(toft_arena_get_stats(arena).reserved_bytes == first_bytes);
        CHECK(toft_arena_get_stats(arena).upstream_allocations == before.upstream_allocations);
        REQUIRE(toft_arena_alloc(arena, 100000, 8) != nullptr);
        CHECK(toft_arena_get_stats(arena).high_water_bytes >= 100000);
        CHECK(toft_arena_get_stats(arena).chunks == 2);
    }
    SUBCASE("its savepoints") {
        toft_savepoint savepoint = toft_arena_save(arena);
        void *after = toft_arena_alloc(arena, 8, 8);
        toft_arena_rewind(arena, savepoint);
        CHECK(used() == begun);
        CHECK(toft_arena_alloc(arena, 8, 8) == after);
        REQUIRE(toft_arena_alloc(arena, 100000, 8) != nullptr);
        toft_arena_rewind(arena, savepoint);
        CHECK(used() == begun);
        CHECK(toft_arena_alloc(arena, 8, 8) == after);
    }
    SUBCASE("its objects' sizes") {
        CHECK(toft_arena_resize(arena, first, 8, 1000, 8) == first);
        CHECK(toft_arena_resize(arena, first, 1000, 16, 8) == first);
        CHECK(toft_arena_get_stats(arena).high_water_bytes >= 1000);
        CHECK(toft_arena_resize(arena, first, 16, 100000, 8) != first);
    }
    SUBCASE("its end, and its way elsewhere") {
        toft_arena_release(arena);
        CHECK(used() == 0);
        REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        toft_arena moved;
        toft_arena_move(&moved, arena);
        CHECK(used() == 0);
        CHECK(toft_arena_get_stats(&moved).used_bytes == begun);
        int calls = 0;
        auto count = [](void *counter) { ++*static_cast<int *>(counter); };
        CHECK(toft_arena_defer(&moved, count, &calls));
        toft_arena_release(&moved);
        CHECK(calls == 1);
    }
}

TEST_CASE("an arena that never left its first buffer knows all that others know") {
    alignas(16) static char buffer[2048];
    check_unopened({.first_buffer = buffer, .first_buffer_bytes = sizeof buffer}, sizeof buffer);
}

TEST_CASE("an arena that never left its first chunk knows all that others know") {
    check_unopened({}, 65536);
}

TEST_CASE("a first buffer is never left, wherever it begins and ends") {
    alignas(64) static char buffer[1024];
    for (std::size_t offset = 0; offset < 16; offset++) {
        for (std::size_t bytes = 300; bytes < 316; bytes++) {
            char *given = buffer + offset;
            arena_guard arena({.first_buffer = given, .first_buffer_bytes = bytes});
            int inside = 0;
            while (auto *p = static_cast<char *>(toft_arena_alloc(arena, 8, 8))) {
                if (p < buffer || p >= buffer + sizeof buffer) break;
                REQUIRE(p >= given);
                REQUIRE(p + 8 <= given + bytes);
                inside++;
            }
            if (!tracked())
                CHECK(inside >=
                      static_cast<int>(bytes - TOFT_FIRST_BUFFER_OVERHEAD_BYTES - 22) / 8);
        }
    }
}

TEST_CASE("a first buffer is used to its last byte") {
    if (tracked()) return;
    alignas(16) char buffer[TOFT_FIRST_BUFFER_OVERHEAD_BYTES + 128];
    counting_upstream upstream;
    arena_guard arena(
        {.upstream = upstream.c(), .first_buffer = buffer, .first_buffer_bytes = sizeof buffer});
    for (int i = 0; i < 16; i++) REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
    CHECK(upstream.calls == 0);
    REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
    CHECK(upstream.calls == 1);
}

TEST_CASE("a first buffer too small for anything is left alone") {
    alignas(16) char buffer[TOFT_FIRST_BUFFER_OVERHEAD_BYTES + 64];
    for (std::size_t bytes = 0; bytes < TOFT_FIRST_BUFFER_OVERHEAD_BYTES; bytes++) {
        std::memset(buffer, 'x', sizeof buffer);
        arena_guard arena({.first_buffer = buffer, .first_buffer_bytes = bytes});
        auto *p = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
        REQUIRE(p != nullptr);
        CHECK((p < buffer || p >= buffer + sizeof buffer));
        CHECK(std::count(std::begin(buffer), std::end(buffer), 'x') == sizeof buffer);
    }
}

TEST_CASE("an upstream without free suits a static buffer") {
    static struct {
        alignas(64) char memory[100000];
        std::size_t used_bytes;
    } stock;
    stock.used_bytes = 0;
    toft_upstream upstream = {[](void *context, std::size_t bytes, std::size_t) -> void * {
                                  auto *from = static_cast<decltype(stock) *>(context);
                                  if (bytes > sizeof from->memory - from->used_bytes)
                                      return nullptr;
                                  void *taken = from->memory + from->used_bytes;
                                  from->used_bytes += (bytes + 63) / 64 * 64;
                                  return taken;
                              },
                              nullptr, &stock};
    {
        arena_guard arena({.upstream = &upstream, .chunk_bytes = 4096});
        int count = 0;
        while (toft_arena_alloc(arena, 1000, 8) != nullptr) count++;
        CHECK(count > 80);
        CHECK(toft_arena_get_stats(arena).reserved_bytes <= sizeof stock.memory);
        toft_arena_reset(arena);
        CHECK(toft_arena_alloc(arena, 1000, 8) != nullptr);
    }
    std::memset(stock.memory, 0, sizeof stock.memory); // the owner's again
}

TEST_CASE("chunk_bytes is the first chunk's size, and the least") {
    for (std::size_t chunk_bytes : {1u, 100u, 1000u, 65536u, 1000000u, 10000000u}) {
        counting_upstream upstream;
        arena_guard arena({.upstream = upstream.c(), .chunk_bytes = chunk_bytes});
        REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        if (chunk_bytes >= 1000) CHECK(upstream.live_bytes == chunk_bytes);
        while (upstream.live_blocks() < 5) {
            std::size_t before_bytes = upstream.live_bytes;
            REQUIRE(toft_arena_alloc(arena, 900, 8) != nullptr);
            std::size_t grown_bytes = upstream.live_bytes - before_bytes;
            CHECK((grown_bytes == 0 || grown_bytes >= chunk_bytes));
        }
    }
}

TEST_CASE("chunk_bytes is the first chunk's size from the system too, if it is a power of two") {
    for (std::size_t chunk_bytes = 64 << 10; chunk_bytes <= 16 << 20; chunk_bytes *= 2) {
        arena_guard arena({.chunk_bytes = chunk_bytes});
        REQUIRE(toft_arena_alloc(arena, 1000, 8) != nullptr);
        CHECK(toft_arena_get_stats(arena).reserved_bytes == chunk_bytes);
    }
}

TEST_CASE("chunk_bytes is the first chunk's size beside a limit, too") {
    constexpr std::size_t chunk_bytes = 1 << 20;
    arena_guard arena({.chunk_bytes = chunk_bytes, .limit_bytes = 4 * chunk_bytes});
    REQUIRE(toft_arena_alloc(arena, 1000, 8) != nullptr);
    CHECK(toft_arena_get_stats(arena).reserved_bytes == chunk_bytes);
}

TEST_CASE("a chunk_bytes that can't be had falls back to what is needed") {
    for (std::size_t chunk_bytes = SIZE_MAX; chunk_bytes > SIZE_MAX / 64; chunk_bytes /= 2) {
        arena_guard arena({.chunk_bytes = chunk_bytes});
        for (std::size_t size : {8u, 70000u, 100u, 3000000u}) {
            auto *p = static_cast<char *>(toft_arena_alloc(arena, size, 8));
            REQUIRE(p != nullptr);
            std::memset(p, 'x', size);
        }
    }
}

TEST_CASE("chunks grow geometrically, so that large arenas need few") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c()});
    for (int i = 0; i < 100000; i++) REQUIRE(toft_arena_alloc(arena, 256, 8) != nullptr);
    CHECK(upstream.allocations <= 2 + 26 / 2); // 25.6 MB, in chunks of 2 MiB behind the first two
}

TEST_CASE("limit_bytes is never exceeded, and failure leaves the arena usable") {
    if (too_long_for_tsan()) return; // one thread
    for (std::size_t limit_bytes : {100u, 1000u, 65535u, 65536u, 100000u, 1000000u, 20000000u}) {
        for (std::size_t size : {8u, 100u, 5000u, 60000u, 300000u}) {
            counting_upstream upstream;
            arena_guard arena({.upstream = upstream.c(), .limit_bytes = limit_bytes});
            std::vector<char *> live;
            for (int round = 0; round < (thread_sanitizer ? 1 : 3); round++) {
                while (auto *p = static_cast<char *>(toft_arena_alloc(arena, size, 8))) {
                    std::memset(p, static_cast<int>(live.size() % 100), size);
                    live.push_back(p);
                    REQUIRE(upstream.live_bytes <= limit_bytes);
                }
                std::size_t worst_bytes = limit_bytes;
                if (worst_bytes > 4 * size + 1000)
                    CHECK(live.size() * size > limit_bytes / 4); // the limit isn't wasted
                for (std::size_t i = 0; i < live.size(); i++)
                    REQUIRE(live[i][size - 1] == static_cast<char>(i % 100));
                live.clear();
                toft_arena_reset(arena);
            }
            CHECK(upstream.peak_bytes <= limit_bytes);
        }
    }
}

TEST_CASE("limit_bytes counts the first buffer") {
    alignas(16) char buffer[4096];
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(),
                       .first_buffer = buffer,
                       .first_buffer_bytes = sizeof buffer,
                       .limit_bytes = 1000});
    std::size_t had_bytes = 0;
    while (auto *p = static_cast<char *>(toft_arena_alloc(arena, 8, 8))) {
        CHECK(p < buffer + 1000);
        had_bytes += 8;
    }
    CHECK(had_bytes <= 1000);
    CHECK(upstream.calls == 0);
}

TEST_CASE("a request that only fits without what is kept gets it, within the limit") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .limit_bytes = 1000000});
    while (toft_arena_alloc(arena, 1000, 8) != nullptr) {}
    toft_arena_reset(arena);
    CHECK(toft_arena_alloc(arena, 900000, 8) != nullptr);
    CHECK(upstream.peak_bytes <= 1000000);
}

TEST_CASE("the default upstream obeys the limit too") {
    arena_guard arena({.limit_bytes = 300000});
    int count = 0;
    while (toft_arena_alloc(arena, 1000, 8) != nullptr) count++;
    CHECK(toft_arena_get_stats(arena).reserved_bytes <= 300000);
    CHECK(count >= 280);
    CHECK(toft_arena_alloc(arena, 1000000, 8) == nullptr);
    toft_arena_reset(arena);
    CHECK(toft_arena_alloc(arena, 1000, 8) != nullptr);
}

TEST_CASE("keep_bytes bounds what reset and rewind keep") {
    for (std::size_t keep_bytes : {1u, 70000u, 600000u, 5000000u, 100000000u}) {
        for (bool by_rewind : {false, true}) {
            counting_upstream upstream;
            arena_guard arena({.upstream = upstream.c(), .keep_bytes = keep_bytes});
            toft_savepoint start = toft_arena_save(arena);
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 200; i++)
                    REQUIRE(toft_arena_alloc(arena, 100000, 8) != nullptr);
                CHECK(upstream.live_bytes >= 20000000);
                if (by_rewind)
                    toft_arena_rewind(arena, start);
                else
                    toft_arena_reset(arena);
                CHECK(upstream.live_bytes <= keep_bytes);
                CHECK(toft_arena_get_stats(arena).reserved_bytes == upstream.live_bytes);
                CHECK(toft_arena_get_stats(arena).chunks == upstream.live_blocks());
                CHECK(toft_arena_strdup(arena, "usable") != nullptr);
                if (by_rewind) toft_arena_rewind(arena, start);
            }
        }
    }
}

TEST_CASE("keep_bytes bounds what rewind keeps beside what is in use, however much that is") {
    constexpr std::size_t keep_bytes = 8000000;
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .keep_bytes = keep_bytes});
    const auto allocate = [&](std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; i += 100000)
            REQUIRE(toft_arena_alloc(arena, 100000, 8) != nullptr);
    };
    allocate(20000000);
    const std::size_t in_use = upstream.live_bytes;
    toft_savepoint point = toft_arena_save(arena);
    allocate(40000000);
    toft_arena_rewind(arena, point);
    CHECK(upstream.live_bytes > in_use);
    CHECK(upstream.live_bytes <= in_use + keep_bytes);
    const std::size_t kept = upstream.live_bytes - in_use, calls = upstream.allocations;
    for (int round = 0; round < 10; round++) { // in what is kept
        allocate(kept / 2);
        toft_arena_rewind(arena, point);
    }
    CHECK(upstream.allocations == calls);
}

TEST_CASE("keep_bytes leaves what is in use alone") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .keep_bytes = TOFT_KEEP_NOTHING});
    char *before = toft_arena_strdup(arena, "before");
    auto *large = static_cast<char *>(toft_arena_alloc(arena, 3000000, 8));
    large[2999999] = 'z';
    toft_savepoint point = toft_arena_save(arena);
    for (int i = 0; i < 100; i++) REQUIRE(toft_arena_alloc(arena, 1000000, 8) != nullptr);
    toft_arena_rewind(arena, point);
    CHECK(upstream.live_blocks() == 2);
    CHECK(std::strcmp(before, "before") == 0);
    CHECK(large[2999999] == 'z');
}

TEST_CASE("keep_bytes always leaves a first buffer") {
    alignas(16) char buffer[4096];
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(),
                       .first_buffer = buffer,
                       .first_buffer_bytes = sizeof buffer,
                       .keep_bytes = TOFT_KEEP_NOTHING});
    REQUIRE(toft_arena_alloc(arena, 100000, 8) != nullptr);
    toft_arena_reset(arena);
    CHECK(upstream.live_blocks() == 0);
    auto *p = static_cast<char *>(toft_arena_alloc(arena, 8, 8));
    CHECK(p >= buffer);
    CHECK(p < buffer + sizeof buffer);
}
