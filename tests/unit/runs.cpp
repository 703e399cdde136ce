// SPDX-License-Identifier: MIT
// src/chunk/runs.h and spare.h: pieces don't overlap, neighbours join, and every byte comes back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "chunk/runs.h"
#include "chunk/spare.h"
}
#include "support/build.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t granule = TOFT_RUN_GRANULE_BYTES;

struct taken_run {
    unsigned char *memory;
    std::size_t bytes;
    toft_run_block *block;
    unsigned char mark;
};

// Runs over blocks of the heap's, which it counts.
struct heap_runs {
    toft_runs runs = {};
    std::size_t blocks = 0;
    std::size_t block_bytes;
    explicit heap_runs(std::size_t bytes = TOFT_RUN_BLOCK_BYTES) : block_bytes(bytes) {}
    ~heap_runs() {
        while (toft_run_block *block = toft_runs_pop_any(&runs)) drop(block);
        CHECK(blocks == 0);
        CHECK(runs.held_bytes == 0);
        CHECK(runs.dirty_bytes == 0);
    }
    void drop(toft_run_block *block) {
        std::free(block);
        blocks--;
    }
    taken_run take(std::size_t bytes, unsigned char mark = 0) {
        taken_run run = {nullptr, bytes, nullptr, mark};
        run.memory = static_cast<unsigned char *>(toft_runs_take(&runs, bytes, &run.block));
        if (run.memory == nullptr) {
            void *added = std::aligned_alloc(granule, block_bytes);
            REQUIRE(added != nullptr);
            toft_runs_add(&runs, added, block_bytes, 0);
            blocks++;
            run.memory = static_cast<unsigned char *>(toft_runs_take(&runs, bytes, &run.block));
        }
        REQUIRE(run.memory != nullptr);
        run.memory[0] = run.memory[bytes - 1] = mark;
        return run;
    }
    void give(const taken_run &run) {
        CHECK(run.memory[0] == run.mark);
        CHECK(run.memory[run.bytes - 1] == run.mark);
        toft_runs_give(&runs, run.block, run.memory, run.bytes);
    }
};

} // namespace

TEST_CASE("runs are taken from the lowest place that fits, and joined when given") {
    heap_runs from;
    taken_run one = from.take(granule), two = from.take(2 * granule), three = from.take(granule);
    CHECK(one.memory + granule == two.memory);
    CHECK(two.memory + 2 * granule == three.memory);
    from.give(two);
    CHECK(from.take(granule).memory == two.memory);
    taken_run more = from.take(3 * granule);
    CHECK(more.memory == three.memory + granule);
    from.give(three);
    CHECK(from.take(2 * granule).memory == two.memory + granule);
    CHECK(from.blocks == 1);
}

TEST_CASE("a run is lengthened in place, as far as what lies behind it is free") {
    heap_runs from;
    taken_run one = from.take(2 * granule), two = from.take(granule), three = from.take(granule);
    auto lengthen = [&](taken_run &run, std::size_t bytes) {
        if (!toft_runs_lengthen(&from.runs, run.block, run.memory, run.bytes, bytes)) return false;
        run.bytes = bytes;
        run.memory[bytes - 1] = run.mark;
        return true;
    };
    CHECK_FALSE(lengthen(one, 2 * granule + 1));
    from.give(two);
    CHECK_FALSE(lengthen(one, 3 * granule + 1));
    CHECK(lengthen(one, 3 * granule));
    CHECK(lengthen(one, 3 * granule - 10)); // the same granules
    one.bytes = 3 * granule;
    CHECK_FALSE(lengthen(one, 3 * granule + 1));
    CHECK(lengthen(three, 256 * granule));
    CHECK(from.take(granule).memory == three.memory + 256 * granule);
    from.give(one);
    CHECK(from.take(3 * granule).memory == one.memory);
    // To the block's end, and no further.
    taken_run last = from.take(granule);
    const std::size_t left =
        static_cast<std::size_t>(reinterpret_cast<char *>(last.block) + TOFT_RUN_BLOCK_BYTES -
                                 reinterpret_cast<char *>(last.memory));
    CHECK_FALSE(lengthen(last, left + 1));
    CHECK(lengthen(last, left));
    CHECK(from.blocks == 1);
}

TEST_CASE("a block serves all that it has, and is empty when all came back") {
    heap_runs from;
    for (std::size_t bytes : {granule, 16 * granule, 17 * granule, 100 * granule, 256 * granule}) {
        std::vector<taken_run> runs;
        std::size_t fit = (TOFT_RUN_BLOCK_BYTES - granule) / bytes;
        for (std::size_t i = 0; i < fit; i++) runs.push_back(from.take(bytes));
        CHECK(from.blocks == 1);
        CHECK(from.runs.empty_bytes == 0);
        for (std::size_t i = 0; i < fit; i += 2) from.give(runs[i]);
        for (std::size_t i = 1; i < fit; i += 2) from.give(runs[i]);
        CHECK(from.runs.empty_bytes == TOFT_RUN_BLOCK_BYTES);
        CHECK(from.runs.dirty_bytes >= fit * bytes);
    }
    CHECK(toft_runs_pop_empty(&from.runs, TOFT_RUN_BLOCK_BYTES) == nullptr);
    toft_run_block *popped = toft_runs_pop_empty(&from.runs, TOFT_RUN_BLOCK_BYTES - 1);
    REQUIRE(popped != nullptr);
    from.drop(popped);
}

TEST_CASE("of blocks whose runs are about as long, one that fits is taken before there are more") {
    heap_runs from(8 * granule);
    taken_run one = from.take(3 * granule);
    taken_run other = from.take(6 * granule), last = from.take(granule);
    taken_run rest = from.take(4 * granule);
    CHECK(from.blocks == 2);
    from.give(other);
    from.give(rest); // is looked at first, and is too short
    taken_run found = from.take(5 * granule);
    CHECK(found.memory == other.memory);
    for (const taken_run &run : {one, last, found}) from.give(run);
}

TEST_CASE("a block may be as small as one run") {
    for (std::size_t bytes : {granule, 63 * granule, 64 * granule, 65 * granule, 256 * granule}) {
        heap_runs from(toft_run_least_block_bytes(bytes));
        taken_run one = from.take(bytes), two = from.take(bytes);
        CHECK(from.blocks == 2);
        from.give(one);
        CHECK(from.take(bytes).memory == one.memory);
        from.give(two);
    }
}

TEST_CASE("random runs: none overlaps, and what is free is found again") {
    std::minstd_rand random(11);
    heap_runs from;
    std::vector<taken_run> live;
    std::size_t live_bytes = 0, most_live_bytes = 0;
    for (unsigned step = 0; step < (fast_build ? 60000 : 6000); step++) {
        if (live.empty() || random() % 1000 < (step / 1000 % 2 == 0 ? 600 : 400)) {
            std::size_t bytes = 1 + random() % (granule << random() % 9);
            live.push_back(from.take(bytes, static_cast<unsigned char>(step)));
            live_bytes += toft_run_bytes(bytes);
        } else {
            std::swap(live[random() % live.size()], live.back());
            live_bytes -= toft_run_bytes(live.back().bytes);
            from.give(live.back());
            live.pop_back();
        }
        most_live_bytes = std::max(most_live_bytes, live_bytes);
        REQUIRE(from.runs.held_bytes >= live_bytes + from.runs.dirty_bytes);
    }
    CHECK(from.runs.held_bytes <= most_live_bytes + most_live_bytes / 2 + TOFT_RUN_BLOCK_BYTES);
    std::sort(live.begin(), live.end(), [](auto &a, auto &b) { return a.memory < b.memory; });
    for (std::size_t i = 1; i < live.size(); i++)
        CHECK(live[i - 1].memory + toft_run_bytes(live[i - 1].bytes) <= live[i].memory);
    for (const taken_run &run : live) from.give(run);
    CHECK(from.runs.empty_bytes == from.runs.held_bytes);
}

TEST_CASE("discarded runs read as zero, and their neighbours keep what they hold") {
    heap_runs from;
    std::vector<taken_run> runs;
    for (unsigned i = 0; i < 200; i++) {
        runs.push_back(from.take(16 * granule, static_cast<unsigned char>(i + 1)));
        std::memset(runs[i].memory, static_cast<int>(i % 250 + 1), runs[i].bytes);
        runs[i].mark = static_cast<unsigned char>(i % 250 + 1);
    }
    for (unsigned i = 0; i < 200; i += 2) from.give(runs[i]);
    toft_runs_discard(&from.runs, 10 * 16 * granule);
    CHECK(from.runs.dirty_bytes <= 10 * 16 * granule);
    toft_runs_discard(&from.runs, 0);
    CHECK(from.runs.dirty_bytes == 0);
    for (unsigned i = 1; i < 200; i += 2)
        CHECK(std::memcmp(runs[i].memory, runs[i].memory + 1, runs[i].bytes - 1) == 0);
    if (!tracked()) // what is free is poisoned
        for (unsigned i = 0; i < 200; i += 2)
            CHECK(std::all_of(runs[i].memory, runs[i].memory + runs[i].bytes,
                              [](unsigned char byte) { return byte == 0; }));
    for (unsigned i = 1; i < 200; i += 2) from.give(runs[i]);
}

namespace {

struct shape {
    std::size_t bytes = 0, depth = 0;
};

shape shape_of(const toft_spare *pieces) {
    if (pieces == nullptr) return {};
    shape lower = shape_of(pieces->lower), higher = shape_of(pieces->higher);
    return {pieces->bytes + lower.bytes + higher.bytes, 1 + std::max(lower.depth, higher.depth)};
}

} // namespace

TEST_CASE("spare pieces are cut when taken, and joined when given") {
    constexpr std::size_t bytes = 1 << 20;
    std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(64, bytes), &std::free);
    auto *start = static_cast<char *>(memory.get());
    toft_spare *list = nullptr;
    CHECK(toft_spare_take(&list, 32) == nullptr);
    CHECK(toft_spare_largest(list) == 0);
    toft_spare_give(&list, start, bytes);
    std::minstd_rand random(3);
    struct piece {
        char *memory;
        std::size_t bytes;
    };
    std::vector<piece> live;
    std::size_t live_bytes = 0;
    for (int step = 0; step < 20000; step++) {
        std::size_t wanted = 32 * (1 + random() % (random() % 2000 + 1));
        if (random() % 2 == 0) {
            auto *taken = static_cast<char *>(toft_spare_take(&list, wanted));
            if (taken == nullptr) {
                CHECK(toft_spare_largest(list) < wanted);
                continue;
            }
            std::memset(taken, 'x', wanted);
            live.push_back({taken, wanted});
            live_bytes += wanted;
        } else if (!live.empty()) {
            std::swap(live[random() % live.size()], live.back());
            toft_spare_give(&list, live.back().memory, live.back().bytes);
            live_bytes -= live.back().bytes;
            live.pop_back();
        }
    }
    std::sort(live.begin(), live.end(), [](auto &a, auto &b) { return a.memory < b.memory; });
    for (std::size_t i = 1; i < live.size(); i++)
        CHECK(live[i - 1].memory + live[i - 1].bytes <= live[i].memory);
    CHECK(shape_of(list).bytes + live_bytes == bytes);
    for (const piece &each : live) toft_spare_give(&list, each.memory, each.bytes);
    CHECK(toft_spare_largest(list) == bytes);
    CHECK(toft_spare_take(&list, bytes) == start);
}

TEST_CASE("many spare pieces, whatever their sizes, make no deep tree") {
    if (thread_sanitizer) return; // one thread, and much to do
    constexpr std::size_t count = 3000;
    constexpr std::size_t most_depth = 48; // 4 * log2(count): less likely than 1 in 1e9
    for (std::size_t distance : {count * 32 + 32, count * 32 + 64, std::size_t{98304},
                                 std::size_t{100000}, std::size_t{131072}})
        for (bool grows : {false, true}) {
            CAPTURE(distance);
            std::unique_ptr<char, decltype(&std::free)> memory(
                static_cast<char *>(std::aligned_alloc(64, count * distance)), &std::free);
            toft_spare *pieces = nullptr;
            std::size_t given_bytes = 0;
            for (std::size_t i = 0; i < count; i++) {
                std::size_t bytes = 32 * (grows ? i + 1 : count - i);
                toft_spare_give(&pieces, memory.get() + i * distance, bytes);
                given_bytes += bytes;
            }
            CHECK(shape_of(pieces).bytes == given_bytes);
            CHECK(shape_of(pieces).depth <= most_depth);
            CHECK(toft_spare_take(&pieces, 32 * count) ==
                  memory.get() + (grows ? count - 1 : 0) * distance);
            CHECK(toft_spare_largest(pieces) == 32 * (count - 1));
        }
}
