// SPDX-License-Identifier: MIT
// Loops of allocate and reset, rewind or release have flat memory, whatever the sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include <toft/arena.h>

#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

namespace {

// The sizes that one cycle allocates.
using sizes_of_cycle = std::function<std::vector<std::size_t>(std::size_t cycle)>;

enum class ending { reset, rewind_to_start, rewind_to_middle, release };

// No more may be held than twice the most that a cycle had in use so far, and a few chunks: the
// recycler rounds to powers of two, and the last chunk need not be full.
void expect_flat(const sizes_of_cycle &sizes, std::size_t cycles, bool own_upstream, ending how) {
    counting_upstream upstream;
    toft_arena_options options = {};
    if (own_upstream) options.upstream = upstream.c();
    arena_guard arena(options);
    if (how == ending::rewind_to_middle) REQUIRE(toft_arena_alloc(arena, 50000, 8) != nullptr);
    toft_savepoint start = toft_arena_save(arena);
    std::size_t most_bytes = 0;
    for (std::size_t cycle = 0; cycle < cycles; cycle++) {
        std::size_t bytes = 0;
        for (std::size_t size : sizes(cycle)) {
            REQUIRE(toft_arena_alloc(arena, size, 8) != nullptr);
            bytes += size + 32;
        }
        most_bytes = std::max(most_bytes, bytes);
        std::size_t reserved_bytes = toft_arena_get_stats(arena).reserved_bytes;
        REQUIRE(reserved_bytes <= 2 * most_bytes + (std::size_t(9) << 20));
        if (how == ending::reset) toft_arena_reset(arena);
        if (how == ending::release) toft_arena_release(arena);
        if (how == ending::rewind_to_start || how == ending::rewind_to_middle)
            toft_arena_rewind(arena, start);
    }
}

void expect_flat(const sizes_of_cycle &sizes, std::size_t cycles) {
    for (bool own_upstream : {false, true})
        for (ending how :
             {ending::reset, ending::rewind_to_start, ending::rewind_to_middle, ending::release}) {
            CAPTURE(own_upstream);
            CAPTURE(static_cast<int>(how));
            expect_flat(sizes, cycles, own_upstream, how);
        }
}

} // namespace

TEST_CASE("flat memory: many small objects") {
    expect_flat([](std::size_t) { return std::vector<std::size_t>(5000, 40); }, 50);
}

TEST_CASE("flat memory: one object larger than a chunk") {
    for (std::size_t size : {65473u, 65536u, 70000u, 4194304u, 5000000u, 40000000u})
        expect_flat([=](std::size_t) { return std::vector<std::size_t>{size}; }, 20);
}

TEST_CASE("flat memory: growing sizes") {
    expect_flat([](std::size_t cycle) { return std::vector<std::size_t>{cycle * 50000}; }, 200);
    expect_flat(
        [](std::size_t cycle) { return std::vector<std::size_t>(10, (cycle % 100) * 5000); }, 200);
}

TEST_CASE("flat memory: large after small, small after large") {
    expect_flat(
        [](std::size_t cycle) {
            return cycle % 2 == 0 ? std::vector<std::size_t>(10000, 100)
                                  : std::vector<std::size_t>{10, 10000000, 10};
        },
        50);
}

TEST_CASE("flat memory: random sizes") {
    std::minstd_rand random(7);
    expect_flat(
        [&](std::size_t) {
            std::vector<std::size_t> sizes(random() % 20 + 1);
            for (std::size_t &size : sizes) size = std::size_t(1) << (random() % 21);
            for (std::size_t &size : sizes) size += random() % size;
            return sizes;
        },
        200);
}

TEST_CASE("a loop of equal cycles takes nothing from its upstream after the first") {
    for (std::size_t size : {8u, 1000u, 60000u, 100000u, 6000000u}) {
        counting_upstream upstream;
        arena_guard arena({.upstream = upstream.c()});
        std::size_t calls = 0;
        for (int cycle = 0; cycle < 100; cycle++) {
            for (int i = 0; i < 10; i++) REQUIRE(toft_arena_alloc(arena, size, 8) != nullptr);
            if (cycle == 0) calls = upstream.calls;
            toft_arena_reset(arena);
        }
        CHECK(upstream.calls == calls);
        CHECK(upstream.frees == 0);
    }
}
