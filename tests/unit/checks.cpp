// SPDX-License-Identifier: MIT
// Builds with checks (src/base/check.h) stop at the first slow path that finds something wrong.
#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <toft/pool.h>
#include <toft/reap.h>

extern "C" {
#include "base/check.h"
#include "chunk/runs.h"
#include "chunk/spare.h"
#include "pool/span.h"
}
#include "support/build.hpp"
#include "support/last_words.hpp"

using namespace toft_test;

namespace {

// In a child: `use` runs to its end, but not once `damage` was done before it.
template <class Prepare, class Damage, class Use>
void check_stops(Prepare prepare, Damage damage, Use use) {
    CHECK(exit_code_in_child([&] {
              auto state = prepare();
              use(state);
              std::_Exit(0);
          }) == 0);
    CHECK(exit_code_in_child([&] {
              std::signal(SIGABRT, SIG_DFL); // not doctest's
              auto state = prepare();
              damage(state);
              use(state);
              std::_Exit(0);
          }) == -1);
}

toft_arena *new_arena() {
    static toft_arena arena = TOFT_ARENA_INIT;
    for (int i = 0; i < 100; i++)
        if (toft_arena_alloc(&arena, 5000, 8) == nullptr) std::abort();
    return &arena;
}

struct block_of_runs {
    toft_runs runs;
    toft_run_block *block;
    void *run;
};

block_of_runs new_runs() {
    block_of_runs made = {};
    void *memory = std::aligned_alloc(TOFT_RUN_GRANULE_BYTES, TOFT_RUN_BLOCK_BYTES);
    if (memory == nullptr) std::abort();
    toft_runs_add(&made.runs, memory, TOFT_RUN_BLOCK_BYTES, 0);
    made.run = toft_runs_take(&made.runs, 10000, &made.block);
    return made;
}

} // namespace

TEST_CASE("an arena whose fields were overwritten is found by its next slow path" *
          doctest::skip(!TOFT_CHECKS)) {
    auto reset = [](toft_arena *arena) { toft_arena_reset(arena); };
    check_stops(new_arena, [](toft_arena *arena) { arena->cur += 4; }, reset);
    check_stops(new_arena, [](toft_arena *arena) { arena->high += std::size_t(1) << 40; }, reset);
    check_stops(new_arena, [](toft_arena *arena) { arena->limit_bytes = 1; }, reset);
    check_stops(
        new_arena, [](toft_arena *arena) { arena->first = nullptr; },
        [](toft_arena *arena) {
            if (toft_arena_alloc(arena, 100000, 8) == nullptr) std::abort();
        });
}

TEST_CASE("a block of runs whose counts are wrong is found" * doctest::skip(!TOFT_CHECKS)) {
    auto give = [](block_of_runs &of) { toft_runs_give(&of.runs, of.block, of.run, 10000); };
    check_stops(new_runs, [](block_of_runs &of) { of.block->used++; }, give);
    check_stops(new_runs, [](block_of_runs &of) { of.block->free_bits[5] ^= 2; }, give);
    check_stops(
        new_runs, [](block_of_runs &of) { of.runs.dirty_bytes = of.runs.held_bytes + 1; }, give);
}

TEST_CASE("spare pieces that overlap are found" * doctest::skip(!TOFT_CHECKS)) {
    alignas(32) static unsigned char memory[4096];
    auto two_pieces = [] {
        toft_spare *list = nullptr;
        toft_spare_give(&list, memory, 64);
        toft_spare_give(&list, memory + 1024, 64);
        return list;
    };
    check_stops(
        two_pieces, [](toft_spare *list) { list->bytes = 2048; },
        [](toft_spare *list) { (void)toft_spare_take(&list, 32); });
}

TEST_CASE("a reap whose counters were overwritten is found" * doctest::skip(!TOFT_CHECKS)) {
    auto new_reap = [] {
        static toft_reap reap = TOFT_REAP_INIT;
        if (toft_reap_alloc(&reap, 24, 8) == nullptr) std::abort();
        return &reap;
    };
    auto save = [](toft_reap *reap) {
        if (toft_reap_save(reap) == nullptr) std::abort();
    };
    check_stops(new_reap, [](toft_reap *reap) { reap->closed = !reap->closed; }, save);
    check_stops(new_reap, [](toft_reap *reap) { reap->freed += 100; }, save);
}

TEST_CASE("a pool's span whose count is wrong is found" * doctest::skip(!TOFT_CHECKS)) {
    auto new_slots = [] {
        void *slot = toft_pool_alloc(toft_pool_shared(), 64);
        if (slot == nullptr) std::abort();
        return slot;
    };
    auto trim = [](void *slot) {
        toft_pool_free(toft_pool_shared(), slot, 64);
        toft_pool_trim(toft_pool_shared());
    };
    check_stops(new_slots, [](void *slot) { toft_span_of(slot)->free_slots--; }, trim);
    check_stops(new_slots, [](void *slot) { toft_span_of(slot)->free_bits[0] ^= 1; }, trim);
}

namespace {

std::atomic<bool> is_locked;

void *keep_standard_error(void *) {
    flockfile(stderr);
    is_locked = true;
    for (;;) pause();
}

} // namespace

// The thread may be one that waits for a lock of ours: malloc is asked under that of a file, too.
TEST_CASE("a check that fails is told while another thread has standard error's lock") {
    if (thread_sanitizer) return; // it follows no child of a program with threads
    last_words words = last_words_of([] {
        alarm(10); // where it hangs
        pthread_t thread;
        if (pthread_create(&thread, nullptr, keep_standard_error, nullptr) != 0) _exit(1);
        while (!is_locked) sched_yield();
        toft_check_failed("1 == 2", "some/file.c", 7);
    });
    CHECK(aborted(words));
    CHECK(words.said == "toft: some/file.c:7: this is not true: 1 == 2\n");
}

TEST_CASE("a run that is given back twice is told") {
    expect_one_line(": freed twice", [] {
        block_of_runs of = new_runs();
        for (int i = 0; i < 2; i++) toft_runs_give(&of.runs, of.block, of.run, 10000);
    });
}
