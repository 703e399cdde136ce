// SPDX-License-Identifier: MIT
// Size classes: every size has the least that fits, and wastes no more than is said.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <set>

extern "C" {
#include "pool/span.h"
}

namespace {

std::size_t slot_of(std::size_t size) { return toft_slot_bytes(toft_pool_class_of(size)); }

std::size_t default_alignment(std::size_t size) { return size > 8 ? 16 : 8; }

} // namespace

TEST_CASE("the looked up class of a size is the computed one") {
    for (std::size_t size = 0; size <= TOFT_POOL_SMALL_MAX; size++) {
        CAPTURE(size);
        volatile std::size_t unknown = size; // keeps the look-up from being folded away
        CHECK(toft_pool_class_of(unknown) ==
              toft_pool_class_of_aligned(size, default_alignment(size)));
    }
}

TEST_CASE("a class's slot is the least that fits") {
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        CAPTURE(size_class);
        std::size_t slot = toft_slot_bytes(size_class);
        CHECK(toft_pool_class_of_rounded(slot) == size_class);
        if (size_class == 0) continue;
        std::size_t smaller = toft_slot_bytes(size_class - 1);
        CHECK(smaller < slot);
        CHECK(toft_pool_class_of_rounded(smaller + 1) == size_class);
    }
    CHECK(toft_slot_bytes(TOFT_POOL_CLASSES - 1) == TOFT_POOL_SMALL_MAX);
}

TEST_CASE("the looked up depth of a magazine is the computed one") {
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        CAPTURE(size_class);
        CHECK(toft_magazine_depth(size_class) ==
              TOFT_MAGAZINE_DEPTH_OF(toft_slot_bytes(size_class)));
    }
}

TEST_CASE("sizes beyond 64 waste at most an eighth of their slot, what alignment takes apart") {
    for (std::size_t size = 65; size <= TOFT_POOL_SMALL_MAX; size++) {
        CAPTURE(size);
        std::size_t aligned = (size + 15) / 16 * 16;
        CHECK((slot_of(size) - aligned) * 8 <= slot_of(size));
        if (size >= 98) CHECK((slot_of(size) - size) * 8 <= slot_of(size)); // alignment included
    }
    // Where 8 bytes of alignment are enough and asked for, nothing is taken for it.
    for (std::size_t size = 65; size <= TOFT_POOL_SMALL_MAX; size++) {
        CAPTURE(size);
        std::size_t slot = toft_slot_bytes(toft_pool_class_of_aligned(size, 8));
        CHECK((slot - size) * 8 <= slot);
    }
}

TEST_CASE("a size rounded up to its alignment gets a slot of that alignment") {
    for (std::size_t alignment = 1; alignment <= TOFT_POOL_SMALL_MAX; alignment *= 2) {
        for (std::size_t size = 0; size <= TOFT_POOL_SMALL_MAX; size += 7) {
            CAPTURE(alignment);
            CAPTURE(size);
            unsigned size_class = toft_pool_class_of_aligned(size, alignment);
            REQUIRE(size_class < TOFT_POOL_CLASSES);
            CHECK(toft_slot_bytes(size_class) >= size);
            CHECK(toft_slot_alignment(size_class) >= alignment);
        }
    }
}

TEST_CASE("a span of any class knows its slots by their addresses") {
    static std::byte *memory = static_cast<std::byte *>(
        std::aligned_alloc(TOFT_SEGMENT_BYTES, TOFT_SEGMENT_BYTES)); // for all of them
    REQUIRE(memory != nullptr);
    auto *segment = reinterpret_cast<toft_segment *>(memory);
    for (unsigned size_class = 0; size_class < TOFT_POOL_CLASSES; size_class++) {
        for (unsigned first : {0u, TOFT_SPAN_UNITS_MAX}) {
            if (first == 0 && toft_span_units(size_class) != 1) continue;
            CAPTURE(size_class);
            CAPTURE(first);
            toft_span_shape shape = toft_span_shape_of(size_class);
            toft_span *span = toft_span_init(segment, first, &shape);
            std::size_t slot_bytes = toft_slot_bytes(size_class);
            std::size_t span_bytes = span->units * TOFT_UNIT_BYTES;
            std::size_t aligned_to =
                std::min<std::size_t>(toft_slot_alignment(size_class), first == 0 ? 8192 : 32768);
            bool all_found = true;
            for (unsigned i = 0; i < span->slots; i++) {
                const char *slot = span->start + i * slot_bytes;
                all_found = all_found && toft_span_of(slot) == span &&
                            toft_span_slot_index(span, slot) == i &&
                            reinterpret_cast<std::uintptr_t>(slot) % aligned_to == 0;
            }
            CHECK(all_found);
            CHECK(span->slots >= 1);
            const char *end = span->start + span->slots * slot_bytes;
            CHECK(end <= reinterpret_cast<char *>(memory) + first * TOFT_UNIT_BYTES + span_bytes);
            if (size_class != 0 && first != 0)
                CHECK(span_bytes - span->slots * slot_bytes <= span_bytes / 8);
        }
    }
}

TEST_CASE("larger objects don't begin at the same sets of a cache, where there is room") {
    constexpr std::size_t sets = 64; // of a core's first cache, 32 KiB in eight ways
    constexpr std::size_t segments = 4;
    void *memory = std::aligned_alloc(TOFT_SEGMENT_BYTES, segments * TOFT_SEGMENT_BYTES);
    REQUIRE(memory != nullptr);
    for (std::size_t size : {1536u, 2560u, 3072u, 4608u, 5120u, 6144u, 7168u, 10240u, 14336u}) {
        CAPTURE(size);
        toft_span_shape shape = toft_span_shape_of(toft_pool_class_of(size));
        std::set<std::size_t> used;
        for (std::size_t i = 0; i < segments; i++) {
            auto *segment = reinterpret_cast<toft_segment *>(static_cast<char *>(memory) +
                                                             i * TOFT_SEGMENT_BYTES);
            for (unsigned u = 1; u + shape.units <= TOFT_SEGMENT_UNITS; u += shape.units) {
                const toft_span *span = toft_span_init(segment, u, &shape);
                for (unsigned slot = 0; slot < span->slots; slot++)
                    used.insert(reinterpret_cast<std::uintptr_t>(span->start + slot * size) / 64 %
                                sets);
            }
        }
        CHECK(used.size() >= sets / 2);
    }
    std::free(memory);
}

TEST_CASE("a span hands out each slot once, lowest first, and takes it back") {
    auto *memory =
        static_cast<std::byte *>(std::aligned_alloc(TOFT_SEGMENT_BYTES, TOFT_SEGMENT_BYTES));
    REQUIRE(memory != nullptr);
    toft_span_shape shape = toft_span_shape_of(3);
    toft_span *span = toft_span_init(reinterpret_cast<toft_segment *>(memory), 1, &shape);
    unsigned slots = span->slots;
    void *places[65];
    char *expected = span->start;
    for (unsigned taken = 0; taken < slots;) {
        unsigned count = toft_span_take(span, 64, places);
        REQUIRE(count == std::min(64u, slots - taken));
        for (unsigned i = count; i >= 1; i--, expected += 32) REQUIRE(places[i] == expected);
        taken += count;
    }
    CHECK(toft_span_take(span, 64, places) == 0);
    for (unsigned i = 0; i < slots; i += 3) {
        CHECK(toft_span_contains(span, span->start + i * 32));
        CHECK(toft_span_slot_index(span, span->start + i * 32) == i);
        toft_span_give(span, i / 64, span->free_bits[i / 64] | std::uint64_t{1} << i % 64, 1);
    }
    CHECK(toft_span_is_sound(span));
    CHECK(!toft_span_contains(span, span->start - 1));
    CHECK(!toft_span_contains(span, span->start + slots * 32));
    CHECK(!toft_span_contains(span, nullptr));
    CHECK(span->free_slots == (slots + 2) / 3);
    CHECK(toft_span_take(span, 2, places) == 2);
    CHECK(places[2] == span->start);
    CHECK(places[1] == span->start + 96);
    CHECK(toft_span_is_sound(span));
    std::free(memory);
}
