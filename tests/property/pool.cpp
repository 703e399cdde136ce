// SPDX-License-Identifier: MIT
// Random operations on pools: on one thread beside the model, and on several that free each other's
// objects.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "property/pool_model.hpp"
#include "property/seeds.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t sequence_operations = 2000;

struct object {
    unsigned char *bytes;
    std::size_t size, alignment; // 0: the default
    std::uint64_t stamp;
};

void stamp(const object &o) {
    for (std::size_t i = 0; i < o.size; i += 64)
        std::memcpy(o.bytes + i, &o.stamp, std::min<std::size_t>(8, o.size - i));
}

bool is_intact(const object &o) {
    for (std::size_t i = 0; i < o.size; i += 64)
        if (std::memcmp(o.bytes + i, &o.stamp, std::min<std::size_t>(8, o.size - i)) != 0)
            return false;
    return true;
}

// Mostly small, sometimes large, at times with an alignment.
object random_object(toft_pool *pool, std::mt19937_64 &random, std::uint64_t number) {
    std::size_t size = random() % 600;
    if (random() % 16 == 0) size = random() % 40000;
    if (random() % 512 == 0) size = random() % 2000000;
    std::size_t alignment = random() % 4 == 0 ? std::size_t{1} << random() % 13 : 0;
    void *p = alignment == 0 ? toft_pool_alloc(pool, size)
                             : toft_pool_alloc_aligned(pool, size, alignment);
    object made{static_cast<unsigned char *>(p), size, alignment, number * 0x9e3779b97f4a7c15};
    std::size_t expected = alignment != 0 ? alignment : size > 8 ? 16 : 8;
    if (reinterpret_cast<std::uintptr_t>(p) % expected != 0) std::abort();
    if (p != nullptr) stamp(made);
    return made;
}

void give(toft_pool *pool, const object &o) {
    if (!is_intact(o)) std::abort();
    if (o.alignment == 0)
        toft_pool_free(pool, o.bytes, o.size);
    else
        toft_pool_free_aligned(pool, o.bytes, o.size, o.alignment);
}

std::uint64_t seed() {
    const char *given = std::getenv("TOFT_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

unsigned operations() {
    return (std::getenv("TOFT_TEST_LONG") != nullptr ? 5000000u : 300000u) / (fast_build ? 1 : 10);
}

} // namespace

TEST_CASE("random operations on one thread agree with a shadow model") {
    if (thread_sanitizer) return; // one thread, and much to do
    run_seeds(fast_build ? 400 : 40, 100, [](std::uint64_t seed) {
        choices choice(seed);
        CHECK(run_pool_sequence(choice, sequence_operations) == sequence_operations);
    });
}

// Each thread stamps what it makes, and checks the stamp of what it frees: its own objects or those
// that others left in a common store. A slot with two owners shows as a wrong stamp.
TEST_CASE("threads that free each other's objects find each as its maker left it") {
    std::uint64_t used_seed = seed();
    CAPTURE(used_seed);
    for (unsigned threads : {2u, 4u, 8u, 16u}) {
        pool_guard pool;
        std::mutex lock;
        std::vector<object> store;
        auto work = [&](unsigned number) {
            std::mt19937_64 random(used_seed + number);
            std::vector<object> mine;
            for (unsigned i = 0; i < operations() / threads; i++) {
                std::uint64_t id = std::uint64_t{number} << 32 | i;
                if (mine.size() < 200 || random() % 2 == 0) {
                    mine.push_back(random_object(pool, random, id));
                    if (mine.back().bytes == nullptr) std::abort();
                } else {
                    std::swap(mine[random() % mine.size()], mine.back());
                    give(pool, mine.back());
                    mine.pop_back();
                }
                if (i % 64 == 0) {
                    std::lock_guard held(lock);
                    for (int k = 0; k < 20 && !mine.empty(); k++) {
                        store.push_back(mine.back());
                        mine.pop_back();
                    }
                    for (int k = 0; k < 20 && !store.empty(); k++) {
                        std::size_t chosen = random() % store.size();
                        mine.push_back(store[chosen]);
                        store[chosen] = store.back();
                        store.pop_back();
                    }
                }
                if (i % 4096 == 0 && random() % 8 == 0) toft_pool_trim(pool);
                if (i % 4096 == 0) (void)toft_pool_get_stats(pool);
            }
            for (auto &o : mine) give(pool, o);
        };
        std::vector<std::thread> running;
        for (unsigned i = 0; i < threads; i++) running.emplace_back(work, i);
        for (auto &thread : running) thread.join();
        for (auto &o : store) give(pool, o);
        CHECK(live_bytes(pool) == 0);
    }
}
