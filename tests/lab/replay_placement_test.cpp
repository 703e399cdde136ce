// SPDX-License-Identifier: MIT
// What a replay does with the objects of sites that were given an arena or the pool.
#include "made_recording.hpp"
#include "noting_heap.hpp"

using namespace toft::lab;

TEST_CASE("replay: an arena is reset when none of its objects lives, by its own thread") {
    placement where;
    where.of_stack[1] = {object_home::arena, 0};
    where.of_stack[2] = {object_home::arena, 0};
    where.of_stack[3] = {object_home::pool, 0};
    made_recording made;
    made.allocate(0, 0x100, 10, 1).allocate(0, 0x200, 20, 2).allocate(0, 0x300, 30, 3);
    made.free(0, 0x100).resize(0, 0x300, 0x300, 31).free(0, 0x200); // both gone: a reset
    made.allocate(0, 0x100, 40, 1).resize(0, 0x100, 0x400, 50).free(0, 0x300).free(0, 0x400);
    noting_heap heap;
    const compiled_counts counts = replay_on(heap, made.made(), where).counts;
    CHECK(heap.calls == call_list{"arena 0 10", "arena 0 20", "pool 30", "pool resize 31",
                                  "reset 0", "arena 0 40", "arena resize 0 50", "pool free",
                                  "reset 0"});
    CHECK(counts.placed == 4);
    CHECK(counts.arena_resets == 2);
}

TEST_CASE("replay: what lives to the end in an arena is counted by the stack that made it") {
    placement where;
    where.of_stack[1] = {object_home::arena, 0};
    where.of_stack[2] = {object_home::arena, 0};
    made_recording made;
    made.allocate(0, 0x100, 10, 1).allocate(0, 0x200, 20, 2).allocate(0, 0x300, 30, 3);
    made.free(0, 0x100).allocate(0, 0x400, 20, 2).resize(0, 0x400, 0x500, 40);
    noting_heap heap;
    const compiled_counts counts = replay_on(heap, made.made(), where).counts;
    CHECK(counts.immortals == std::map<std::uint32_t, std::uint64_t>{{2, 2}});
    CHECK(counts.arena_resets == 0);
}

TEST_CASE("replay: a few objects that keep an arena from its reset again and again are counted") {
    placement where;
    for (const std::uint32_t stack : {1, 2, 3}) where.of_stack[stack] = {object_home::arena, 0};
    constexpr std::uint64_t rounds = 20, objects = 30;
    made_recording made;
    made.allocate(0, 0x100, 10, 2);
    for (std::uint64_t round = 0; round != rounds; ++round) {
        if (round == 5) made.allocate(0, 0x200, 10, 3); // another one, in two of the rounds
        if (round == 7) made.free(0, 0x200);
        for (std::uint64_t i = 1; i <= objects; ++i) made.allocate(0, i << 16, 10, 1);
        for (std::uint64_t i = 1; i <= objects; ++i) made.free(0, i << 16);
    }
    made.free(0, 0x100);
    noting_heap heap;
    const compiled_counts counts = replay_on(heap, made.made(), where).counts;
    CHECK(counts.arena_resets == 1);
    CHECK(counts.keepers.times >= rounds - 4);
    CHECK(counts.keepers.times <= rounds - 2);
    CHECK(counts.keepers.objects == std::map<std::uint32_t, std::uint64_t>{{2, 1}});
}

TEST_CASE("replay: an object of a pool is freed with the alignment that it was made with") {
    placement where;
    where.of_stack[1] = {object_home::pool, 0};
    made_recording made;
    for (const std::uint32_t alignment : {8, 64, 256})
        made.add({.address = alignment, .bytes = 12, .alignment = alignment, .stack = 1});
    made.resize(0, 256, 512, 13).free(0, 8).free(0, 64).free(0, 512);
    noting_heap heap;
    replay_on(heap, made.made(), where);
    CHECK(heap.calls == call_list{"pool 12", "pool of 64 12", "pool of 256 12",
                                  "pool resize of 256 13", "pool free", "pool free of 64",
                                  "pool free"});
    real_heap real(0, placed_frees::kept);
    replay_on(real, made.made(), where, touching::whole);
}

TEST_CASE("replay: an arena's object that another thread frees or resizes") {
    placement where;
    where.of_stack[1] = {object_home::arena, 0};
    made_recording made;
    made.allocate(0, 0x100, 10, 1).allocate(0, 0x200, 10, 1).allocate(1, 0x900, 90, 1);
    made.free(1, 0x100).resize(1, 0x200, 0x300, 30).allocate(0, 0x100, 60, 1).free(1, 0x300);
    noting_heap heap;
    const compiled_counts counts = replay_on(heap, made.made(), where).counts;
    CHECK(counts.moved_out == 1); // onto the heap, since an arena belongs to one thread
    CHECK(counts.arena_resets == 1);
    CHECK(std::count(heap.calls.begin(), heap.calls.end(), "reset 0") == 1);
    CHECK(std::count(heap.calls.begin(), heap.calls.end(), "allocate 30") == 1);
    CHECK(std::count(heap.calls.begin(), heap.calls.end(), "arena 1 90") == 1);
    const auto reset = std::find(heap.calls.begin(), heap.calls.end(), "reset 0");
    CHECK(std::find(reset, heap.calls.end(), "arena 0 60") != heap.calls.end());
}
