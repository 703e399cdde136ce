// SPDX-License-Identifier: MIT
// <toft/reap.h>: size classes, alignments, large objects.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <toft/reap.h>

#include "support/aligned.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

TEST_CASE("a size has the class of the least slot that holds it") {
    std::size_t previous_bytes = 0;
    for (unsigned size_class = 0; size_class < 48; size_class++) {
        std::size_t bytes = toft_reap_slot_bytes(size_class);
        CHECK(bytes > previous_bytes);
        CHECK(bytes <= std::max<std::size_t>(previous_bytes + 8, previous_bytes * 5 / 4));
        for (std::size_t size = previous_bytes + 1; size <= bytes; size++)
            REQUIRE(toft_reap_class(size, 8) == size_class);
        previous_bytes = bytes;
    }
    CHECK(previous_bytes == TOFT_REAP_SLOT_MAX);
    CHECK(toft_reap_class(0, 1) == 0);
    for (std::size_t alignment = 1; alignment <= TOFT_REAP_SLOT_MAX; alignment *= 2)
        for (std::size_t size = 0; size <= TOFT_REAP_SLOT_MAX; size += 1 + size / 7) {
            unsigned size_class = toft_reap_class(size, alignment);
            REQUIRE(size_class < TOFT_REAP_CLASSES);
            REQUIRE(toft_reap_slot_bytes(size_class) >= size);
            REQUIRE(toft_reap_slot_alignment(size_class) >= alignment);
        }
}

TEST_CASE("the class and the slot of a size are the same, looked up or computed") {
    for (std::size_t alignment : {1u, 8u, 16u, 64u})
        for (std::size_t size = 0; size <= TOFT_REAP_SLOT_MAX; size++) {
            volatile std::size_t unknown = size; // keeps the look-up from being folded away
            unsigned looked_up = toft_reap_class(unknown, alignment);
            std::size_t slot = toft_reap_slot_bytes(looked_up);
            REQUIRE(slot >= size);
            REQUIRE(slot >= alignment);
            // No class below fits.
            if (looked_up % 16 == 0 || alignment > 16) continue;
            std::size_t rounded = alignment > 8 ? (size + 15) / 16 * 16 : size;
            REQUIRE((toft_reap_slot_bytes(looked_up - 1) < rounded ||
                     toft_reap_slot_bytes(looked_up - 1) % alignment != 0));
        }
}

TEST_CASE("alignments are kept, of new slots and of reused ones") {
    reap_guard reap;
    for (int round = 0; round < 3; round++)
        for (std::size_t alignment = 1; alignment <= (std::size_t(1) << 20); alignment *= 2)
            for (std::size_t size : {0u, 1u, 8u, 24u, 40u, 100u, 3000u, 40000u}) {
                void *one = toft_reap_alloc(reap, size, alignment);
                void *two = toft_reap_alloc(reap, size, alignment);
                REQUIRE(one != nullptr);
                REQUIRE(two != nullptr);
                CHECK(one != two);
                CHECK(is_aligned(one, alignment));
                CHECK(is_aligned(two, alignment));
                std::memset(one, 1, size);
                std::memset(two, 2, size);
                toft_reap_free(reap, one, size, alignment);
                toft_reap_free(reap, two, size, alignment);
            }
}

TEST_CASE("a large object takes a block, and its free gives it back") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    void *small = toft_reap_alloc(reap, 100, 8);
    std::size_t blocks = upstream.live_blocks();
    std::size_t reserved_bytes = toft_reap_get_stats(reap).reserved_bytes;
    std::vector<void *> large;
    for (std::size_t i = 0; i < 5; i++) {
        large.push_back(toft_reap_alloc(reap, 50000 + i, std::size_t(8) << 2 * i));
        REQUIRE(large.back() != nullptr);
        CHECK(is_aligned(large.back(), std::size_t(8) << 2 * i));
        std::memset(large.back(), 1, 50000 + i);
    }
    CHECK(upstream.live_blocks() == blocks + 5);
    CHECK(toft_reap_get_stats(reap).chunks == upstream.live_blocks());
    CHECK(toft_reap_get_stats(reap).reserved_bytes == upstream.live_bytes);
    CHECK(toft_reap_get_stats(reap).used_bytes >= 250000);
    for (std::size_t i : {2u, 0u, 4u, 1u, 3u})
        toft_reap_free(reap, large[i], 50000 + i, std::size_t(8) << 2 * i);
    CHECK(upstream.live_blocks() == blocks);
    CHECK(toft_reap_get_stats(reap).reserved_bytes == reserved_bytes);
    CHECK(toft_reap_get_stats(reap).high_water_bytes >= 250000);
    CHECK(toft_reap_get_stats(reap).upstream_allocations == upstream.allocations);
    CHECK(toft_reap_get_stats(reap).upstream_frees == upstream.frees);
    toft_reap_free(reap, small, 100, 8);
}

TEST_CASE("an aligned large object uses the first buffer again and again") {
    counting_upstream upstream;
    std::vector<unsigned char> buffer(200000);
    reap_guard reap({.upstream = upstream.c(),
                     .first_buffer = buffer.data(),
                     .first_buffer_bytes = buffer.size()});
    for (const unsigned alignment : {16U, 64U, 4096U})
        for (int i = 0; i < 100; i++) {
            void *large = toft_reap_alloc(reap, 100000, alignment);
            REQUIRE(reinterpret_cast<std::uintptr_t>(large) % alignment == 0);
            std::memset(large, i, 100000);
            toft_reap_free(reap, large, 100000, alignment);
        }
    CHECK(upstream.calls == 0);
}

TEST_CASE("a large object that fits the first buffer lies there") {
    counting_upstream upstream;
    std::vector<unsigned char> buffer(400000);
    reap_guard reap({.upstream = upstream.c(),
                     .first_buffer = buffer.data(),
                     .first_buffer_bytes = buffer.size()});
    auto in_buffer = [&](void *p) {
        return p >= buffer.data() && p < buffer.data() + buffer.size();
    };
    void *first = nullptr;
    for (int i = 0; i < 100; i++) { // the last one goes back whole
        void *large = toft_reap_alloc(reap, 300000, 16);
        if (i == 0) first = large;
        REQUIRE(in_buffer(large));
        if (!tracked()) CHECK(large == first);
        std::memset(large, i, 300000);
        toft_reap_free(reap, large, 300000, 16);
    }
    void *large = toft_reap_alloc(reap, 300000, 16);
    void *after = toft_reap_alloc(reap, 24, 8);
    toft_reap_free(reap, large, 300000, 16); // another becomes slots
    for (int i = 0; i < 9; i++) {
        void *slot = toft_reap_alloc(reap, 32768, 16);
        CHECK(in_buffer(slot));
        CHECK(is_aligned(slot, 16));
        std::memset(slot, i, 32768);
    }
    CHECK(upstream.calls == 0);
    void *elsewhere = toft_reap_alloc(reap, 300000, 64);
    CHECK_FALSE(in_buffer(elsewhere));
    CHECK(is_aligned(elsewhere, 64));
    CHECK(upstream.live_blocks() == 1);
    toft_reap_free(reap, elsewhere, 300000, 64);
    CHECK(upstream.live_blocks() == 0);
    CHECK(in_buffer(after));
}

TEST_CASE("reset and release give large objects back") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    CHECK(toft_reap_alloc(reap, 100, 8) != nullptr);
    std::size_t blocks = upstream.live_blocks();
    for (int i = 0; i < 3; i++) CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
    toft_reap_reset(reap);
    CHECK(upstream.live_blocks() == blocks);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);
    for (int i = 0; i < 3; i++) CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
    toft_reap_release(reap);
    CHECK(upstream.live_blocks() == 0);
    CHECK(toft_reap_get_stats(reap).high_water_bytes == 0);
    CHECK(toft_reap_alloc(reap, 100000, 8) != nullptr);
}
