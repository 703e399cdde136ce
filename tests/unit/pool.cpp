// SPDX-License-Identifier: MIT
// The C pool on one thread: sizes, alignments, limits, trimming, statistics.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "support/buffer_upstream.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

std::uintptr_t address(const void *p) { return reinterpret_cast<std::uintptr_t>(p); }

struct object {
    unsigned char *bytes;
    std::size_t size, alignment; // 0: the default
};

object take(toft_pool *pool, std::size_t size, std::size_t alignment = 0) {
    void *p = alignment == 0 ? toft_pool_alloc(pool, size)
                             : toft_pool_alloc_aligned(pool, size, alignment);
    REQUIRE(p != nullptr);
    std::memset(p, static_cast<int>(size * 31 + alignment), size);
    return {static_cast<unsigned char *>(p), size, alignment};
}

void give(toft_pool *pool, const object &o) {
    auto stamp = static_cast<unsigned char>(o.size * 31 + o.alignment);
    bool intact = std::all_of(o.bytes, o.bytes + o.size, [&](auto byte) { return byte == stamp; });
    CHECK(intact);
    if (o.alignment == 0)
        toft_pool_free(pool, o.bytes, o.size);
    else
        toft_pool_free_aligned(pool, o.bytes, o.size, o.alignment);
}

} // namespace

TEST_CASE("every size gets its own memory, aligned") {
    pool_guard pool;
    std::vector<object> objects;
    for (std::size_t size = 0; size <= 40000; size += size < 1100 ? 1 : 37) {
        objects.push_back(take(pool, size));
        CHECK(address(objects.back().bytes) % (size > 8 ? 16 : 8) == 0);
    }
    auto by_address = objects;
    std::sort(by_address.begin(), by_address.end(),
              [](auto &a, auto &b) { return a.bytes < b.bytes; });
    for (std::size_t i = 1; i < by_address.size(); i++)
        CHECK(by_address[i - 1].bytes + std::max<std::size_t>(by_address[i - 1].size, 1) <=
              by_address[i].bytes);
    for (auto &o : objects) give(pool, o);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("any power of two as alignment; nothing else") {
    pool_guard pool;
    std::vector<object> objects;
    for (std::size_t alignment = 1; alignment <= (std::size_t{4} << 20); alignment *= 2) {
        for (std::size_t size : {0u, 1u, 24u, 100u, 3000u, 20000u, 33000u, 70000u}) {
            CAPTURE(alignment);
            CAPTURE(size);
            objects.push_back(take(pool, size, alignment));
            CHECK(address(objects.back().bytes) % alignment == 0);
        }
    }
    for (auto &o : objects) give(pool, o);
    CHECK(live_bytes(pool) == 0);
    void *resized = toft_pool_alloc_aligned(pool, 10, 8);
    for (std::size_t alignment : {0u, 3u, 24u, 4097u, 65535u}) {
        CHECK(toft_pool_alloc_aligned(pool, 10, alignment) == nullptr);
        CHECK(toft_pool_calloc_aligned(pool, 1, 10, alignment) == nullptr);
        CHECK(toft_pool_resize_aligned(pool, resized, 10, 100, alignment) == nullptr);
    }
    toft_pool_free_aligned(pool, resized, 10, 8);
}

TEST_CASE("what can't be is refused, and nothing happens") {
    pool_guard pool;
    CHECK(toft_pool_alloc(pool, SIZE_MAX) == nullptr);
    CHECK(toft_pool_alloc(pool, SIZE_MAX - 4096) == nullptr);
    CHECK(toft_pool_alloc(pool, static_cast<std::size_t>(PTRDIFF_MAX) + 1) == nullptr);
    CHECK(toft_pool_alloc_aligned(pool, SIZE_MAX / 2, SIZE_MAX / 2 + 1) == nullptr);
    CHECK(toft_pool_alloc_aligned(pool, 1, SIZE_MAX / 2 + 1) == nullptr);
    CHECK(live_bytes(pool) == 0);
    toft_pool_free(pool, nullptr, 10);
    toft_pool_free(pool, nullptr, 100000);
    toft_pool_free_aligned(pool, nullptr, 10, 8);
    toft_pool_destroy(nullptr);
}

TEST_CASE("a pool that never allocates takes nothing") {
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c()});
    toft_pool_trim(pool);
    CHECK(upstream.calls == 0);
    CHECK(toft_pool_get_stats(pool).reserved_bytes == 0);
}

TEST_CASE("destroying frees live objects too") {
    counting_upstream upstream;
    {
        pool_guard pool({.upstream = upstream.c(), .name = "doomed"});
        for (std::size_t size = 1; size < 200000; size += 1 + size / 3) take(pool, size);
        CHECK(upstream.live_blocks() != 0);
    }
    CHECK(upstream.live_blocks() == 0);
}

TEST_CASE("many pools live side by side") {
    std::vector<std::unique_ptr<pool_guard>> pools;
    std::vector<object> objects;
    for (int i = 0; i < 20; i++) pools.push_back(std::make_unique<pool_guard>());
    for (int round = 0; round < 50; round++)
        for (auto &pool : pools) objects.push_back(take(*pool, 100));
    if (!tracked())
        for (auto &pool : pools) CHECK(live_bytes(*pool) == 50 * 112);
    for (std::size_t i = 0; i < objects.size(); i++) give(*pools[i % pools.size()], objects[i]);
    for (auto &pool : pools) CHECK(live_bytes(*pool) == 0);
    // A new pool at a destroyed one's address has nothing of it.
    const std::size_t live_for_64 = tracked() ? 128 : 64; // a tracked object has a record
    for (int i = 0; i < 100; i++) {
        pool_guard pool;
        take(pool, 64);
        CHECK(live_bytes(pool) == live_for_64);
    }
}

TEST_CASE("memory of one class serves another") {
    if (too_long_for_tsan()) return; // one thread
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c()});
    const std::size_t bytes = std::size_t{40} << 20;
    const int rounds = thread_sanitizer ? 1 : fewer_rounds() ? 2 : 4;
    std::size_t first_round = 0;
    for (int round = 0; round < rounds; round++) {
        for (std::size_t size : {48u, 200u, 1000u, 5000u, 30000u}) {
            std::vector<object> objects;
            for (std::size_t i = 0; i < bytes / size; i++) objects.push_back(take(pool, size));
            for (auto &o : objects) give(pool, o);
        }
        if (round == 0) first_round = upstream.peak_bytes;
    }
    CHECK(first_round < 3 * bytes); // not five times
    CHECK(upstream.peak_bytes < first_round + bytes / 4);
}

TEST_CASE("memory comes back: on its own beyond a bound, all of it when trimmed") {
    if (too_long_for_tsan()) return; // one thread
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c()});
    std::vector<object> objects;
    for (std::size_t i = 0; i < 200000; i++) objects.push_back(take(pool, 1000));
    CHECK(upstream.live_bytes >= objects.size() * 1000);
    for (auto &o : objects) give(pool, o);
    CHECK(upstream.live_bytes < std::size_t{80} << 20);
    for (int i = 0; i < 10; i++) objects[static_cast<std::size_t>(i)] = take(pool, 100000);
    for (int i = 0; i < 10; i++) give(pool, objects[static_cast<std::size_t>(i)]);
    toft_pool_trim(pool);
    CHECK(upstream.live_bytes <= std::size_t{2} << 20); // the thread's own cache is in there
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("with TOFT_KEEP_NOTHING, what is freed goes back at once") {
    if (too_long_for_tsan()) return; // one thread
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c(), .keep_bytes = TOFT_KEEP_NOTHING});
    std::vector<object> objects;
    for (std::size_t size : {1000u, 100000u, 2000000u})
        for (int i = 0; i < 30; i++) objects.push_back(take(pool, size));
    for (auto &o : objects) give(pool, o);
    CHECK(toft_pool_get_stats(pool).idle_bytes == 0);
    CHECK(toft_pool_get_stats(pool).cached_bytes <= 100000); // the thread's own
    CHECK(upstream.live_bytes <= std::size_t{1} << 20);
}

TEST_CASE("a limit is hard, and a full pool goes on when something is freed") {
    if (too_long_for_tsan()) return; // one thread
    for (std::size_t limit : {std::size_t{1} << 20, std::size_t{5} << 20, std::size_t{50} << 20}) {
        for (std::size_t size : {8u, 64u, 500u, 8000u, 32768u, 100000u}) {
            CAPTURE(limit);
            CAPTURE(size);
            counting_upstream upstream;
            pool_guard pool({.upstream = upstream.c(), .limit_bytes = limit});
            std::vector<void *> objects;
            while (void *p = toft_pool_alloc(pool, size)) objects.push_back(p);
            CHECK(upstream.peak_bytes <= limit);
            if (limit > std::size_t{2} << 20 && !tracked())
                CHECK(objects.size() * size >= limit / 2);
            for (int i = 0; i < 3 && !objects.empty(); i++) {
                toft_pool_free(pool, objects.back(), size);
                objects.back() = toft_pool_alloc(pool, size);
                CHECK(objects.back() != nullptr);
                CHECK(toft_pool_alloc(pool, size) == nullptr);
            }
            for (void *p : objects) toft_pool_free(pool, p, size);
            // What one class held serves another, though it lay in a cache.
            void *other = toft_pool_alloc(pool, size == 64 ? 4000 : 64);
            CHECK((other != nullptr || limit == std::size_t{1} << 20));
        }
    }
}

TEST_CASE("over an upstream without free, what is given back is used again") {
    if (too_long_for_tsan()) return; // one thread
    buffer_upstream buffer(std::size_t{64} << 20);
    pool_guard pool({.upstream = buffer.c()});
    const int rounds = thread_sanitizer ? 4 : fewer_rounds() ? 6 : 20;
    for (int round = 0; round < rounds; round++)
        for (std::size_t size : {40u, 300u, 3000u, 30000u}) {
            std::vector<object> objects;
            for (std::size_t i = 0; i < (std::size_t{8} << 20) / size; i++)
                objects.push_back(take(pool, size));
            for (auto &o : objects) give(pool, o);
            toft_pool_trim(pool);
        }
    CHECK(buffer.taken_bytes <= std::size_t{40} << 20);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("a limit counts what an upstream without free gave") {
    if (too_long_for_tsan()) return; // one thread
    buffer_upstream buffer(std::size_t{64} << 20);
    const std::size_t limit = std::size_t{4} << 20;
    pool_guard pool({.upstream = buffer.c(), .limit_bytes = limit});
    for (int round = 0; round < 20; round++)
        for (std::size_t size : {40u, 3000u, 30000u}) {
            std::vector<void *> objects;
            while (void *p = toft_pool_alloc(pool, size)) objects.push_back(p);
            CHECK(objects.size() * size >= limit / 4);
            for (void *p : objects) toft_pool_free(pool, p, size);
            toft_pool_trim(pool);
        }
    CHECK(buffer.taken_bytes <= limit + (limit >> 3)); // the first block's alignment
}

TEST_CASE("an upstream of zeros is the system") {
    const toft_upstream zeros = {};
    pool_guard pool({.upstream = &zeros});
    for (std::size_t size : {100u, 100000u}) give(pool, take(pool, size));
}

TEST_CASE("a pool has a name") {
    CHECK(std::string(toft_pool_get_stats(toft_pool_shared()).name) == "shared");
    pool_guard nameless, named({.name = "sessions"});
    CHECK(std::string(toft_pool_get_stats(nameless).name) == "unnamed");
    CHECK(std::string(toft_pool_get_stats(named).name) == "sessions");
}

TEST_CASE("statistics are exact while nothing moves") {
    pool_guard pool;
    std::vector<object> objects;
    for (int i = 0; i < 1000; i++) objects.push_back(take(pool, 60));
    objects.push_back(take(pool, 100000));
    toft_pool_stats stats = toft_pool_get_stats(pool);
    CHECK(stats.live_bytes >= 64000 + 100000);
    if (!tracked()) CHECK(stats.live_bytes < 64000 + 115000);
    CHECK(stats.reserved_bytes >= stats.live_bytes + stats.cached_bytes + stats.idle_bytes);
    CHECK(stats.high_water_bytes == stats.reserved_bytes);
    if (!tracked()) CHECK(stats.caches == 1);
    std::size_t high_water = stats.high_water_bytes;
    for (auto &o : objects) give(pool, o);
    toft_pool_trim(pool);
    stats = toft_pool_get_stats(pool);
    CHECK(stats.live_bytes == 0);
    CHECK(stats.cached_bytes == 0);
    CHECK(stats.high_water_bytes == high_water);
    CHECK(stats.upstream_frees != 0);
    std::thread([&] { give(pool, take(pool, 60)); }).join();
    if (!tracked()) CHECK(toft_pool_get_stats(pool).caches == 2);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("the explicit handle is the same pool") {
    pool_guard pool;
    toft_pool_cache *handle = toft_pool_thread_cache(pool);
    void *p = toft_pool_cache_alloc(handle, 64);
    toft_pool_free(pool, p, 64);
    if (!tracked()) CHECK(toft_pool_alloc(pool, 64) == p);
    void *aligned = toft_pool_cache_alloc_aligned(handle, 24, 8);
    void *large = toft_pool_cache_alloc(handle, 100000);
    CHECK(live_bytes(pool) >= 64 + 24 + 100000);
    toft_pool_cache_free_aligned(handle, aligned, 24, 8);
    toft_pool_cache_free(handle, large, 100000);
    toft_pool_cache_free(handle, nullptr, 64);
}

TEST_CASE("large objects are kept for reuse, up to a bound") {
    if (too_long_for_tsan()) return; // one thread
    counting_upstream upstream;
    pool_guard pool({.upstream = upstream.c()});
    object first = take(pool, 100000);
    give(pool, first);
    std::size_t calls = upstream.calls;
    for (int i = 0; i < 100; i++) give(pool, take(pool, 100000));
    CHECK(upstream.calls == calls);
    std::vector<object> objects;
    for (int i = 0; i < 100; i++) objects.push_back(take(pool, 1000000));
    for (auto &o : objects) give(pool, o);
    // 8 MiB of empty blocks, and one for each of the four objects that are kept apart.
    CHECK(upstream.live_bytes <= std::size_t{24} << 20);
}

TEST_CASE("poisoned bytes surround each object, also the first one of a span") {
    if (!address_sanitizer) return;
    pool_guard pool;
    for (std::size_t size : {1u, 16u, 64u, 1000u, 5000u, 20000u, 30000u, 100000u}) {
        CAPTURE(size);
        std::vector<char *> objects;
        for (int i = 0; i < 40; i++) {
            objects.push_back(static_cast<char *>(toft_pool_alloc(pool, size)));
            REQUIRE(objects.back() != nullptr);
            CHECK(poisoned(objects.back() - 1));
            CHECK_FALSE(poisoned(objects.back()));
            CHECK_FALSE(poisoned(objects.back() + size - 1));
            CHECK(poisoned(objects.back() + size));
        }
        for (char *object : objects) toft_pool_free(pool, object, size);
    }
}
