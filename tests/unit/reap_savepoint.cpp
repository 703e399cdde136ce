// SPDX-License-Identifier: MIT
// Savepoints of a reap: what was freed before, since, and what is to go.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <toft/reap.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

void *alloc(toft_reap *reap) { return toft_reap_alloc(reap, 24, 8); }
void free(toft_reap *reap, void *object) { toft_reap_free(reap, object, 24, 8); }

} // namespace

TEST_CASE("slots freed before a savepoint wait for its end") {
    if (tracked()) return;
    reap_guard reap;
    void *freed = alloc(reap);
    free(reap, freed);
    toft_reap_savepoint *point = toft_reap_save(reap);
    REQUIRE(point != nullptr);
    CHECK(alloc(reap) != freed);
    toft_reap_rewind(reap, point);
    CHECK(alloc(reap) == freed);
}

TEST_CASE("slots freed since a savepoint that lie before it come back with it") {
    if (tracked()) return;
    reap_guard reap;
    void *old = alloc(reap), *older = alloc(reap);
    toft_reap_savepoint *point = toft_reap_save(reap);
    free(reap, old);
    void *since = alloc(reap);
    CHECK(since != old);
    free(reap, since);
    CHECK(alloc(reap) == since); // allocated since, so reused at once
    free(reap, older);
    toft_reap_rewind(reap, point);
    CHECK(alloc(reap) == older);
    CHECK(alloc(reap) == old);
}

TEST_CASE("no slot behind the point is handed out after a rewind") {
    reap_guard reap;
    void *before = alloc(reap);
    toft_reap_savepoint *point = toft_reap_save(reap);
    std::vector<void *> since;
    for (int i = 0; i < 10000; i++) since.push_back(alloc(reap));
    for (void *object : since) free(reap, object);
    toft_reap_rewind(reap, point);
    std::size_t savepoint_bytes = toft_reap_slot_bytes(toft_reap_class(600, 8));
    if (tracked()) savepoint_bytes += 16; // poisoned ones in front of it
    CHECK(toft_reap_get_stats(reap).free_bytes == savepoint_bytes);
    auto *big = static_cast<unsigned char *>(toft_reap_alloc(reap, 30000, 8));
    std::memset(big, 1, 30000);
    for (int i = 0; i < 10000; i++) std::memset(alloc(reap), 2, 24);
    for (int i = 0; i < 30000; i++) REQUIRE(big[i] == 1);
    free(reap, before);
}

TEST_CASE("loops of savepoints have flat memory, whatever they free") {
    for (bool inner_too : {false, true}) {
        reap_guard reap;
        toft_reap_stats first = {};
        for (int round = 0; round < 1000; round++) {
            void *outside = alloc(reap);
            toft_reap_savepoint *point = toft_reap_save(reap);
            void *inside = alloc(reap);
            free(reap, outside);
            void *other = alloc(reap);
            toft_reap_savepoint *inner = toft_reap_save(reap);
            REQUIRE(inner != nullptr);
            free(reap, other);
            CHECK(alloc(reap) != nullptr);
            if (inner_too) {
                toft_reap_rewind(reap, inner);
                free(reap, inside);
            }
            toft_reap_rewind(reap, point);
            if (round == 0) first = toft_reap_get_stats(reap);
        }
        toft_reap_stats last = toft_reap_get_stats(reap);
        CHECK(last.reserved_bytes <= (std::size_t(1) << 20));
        if (tracked()) continue;
        CHECK(last.used_bytes == first.used_bytes);
        CHECK(last.free_bytes == first.free_bytes);
    }
}

TEST_CASE("large objects live and go with savepoints") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c()});
    auto large = [&] { return toft_reap_alloc(reap, 70000, 8); };
    auto free_large = [&](void *object) { toft_reap_free(reap, object, 70000, 8); };
    void *before = large(), *also_before = large();
    std::size_t blocks = upstream.live_blocks();
    toft_reap_savepoint *point = toft_reap_save(reap);
    void *since = large(), *also_since = large();
    toft_reap_savepoint *inner = toft_reap_save(reap);
    CHECK(large() != nullptr);
    free_large(since);
    free_large(before);
    CHECK(upstream.live_blocks() == blocks + 1);
    toft_reap_rewind(reap, inner);
    CHECK(upstream.live_blocks() == blocks);
    free_large(also_since);
    CHECK(large() != nullptr);
    REQUIRE(toft_reap_save(reap) != nullptr);
    CHECK(large() != nullptr);
    toft_reap_rewind(reap, point);
    CHECK(upstream.live_blocks() == blocks - 1);
    free_large(also_before);
    CHECK(upstream.live_blocks() == blocks - 2);
}

TEST_CASE("a rewind runs what was deferred since, which may allocate and free") {
    struct context {
        toft_reap *reap;
        void *old;
        int runs;
    };
    reap_guard reap;
    context with = {reap, alloc(reap), 0};
    toft_reap_savepoint *point = toft_reap_save(reap);
    REQUIRE(toft_arena_defer(
        toft_reap_arena(reap),
        [](void *argument) {
            auto *c = static_cast<context *>(argument);
            c->runs++;
            free(c->reap, c->old);
            std::memset(alloc(c->reap), 1, 24);
            std::memset(toft_reap_alloc(c->reap, 100000, 8), 1, 100000);
        },
        &with));
    toft_reap_rewind(reap, point);
    CHECK(with.runs == 1);
    if (!tracked()) CHECK(alloc(reap) == with.old);
}

TEST_CASE("reset and release end savepoints") {
    reap_guard reap;
    for (int round = 0; round < 4; round++) {
        void *freed = alloc(reap);
        REQUIRE(toft_reap_save(reap) != nullptr);
        free(reap, freed);
        CHECK(toft_reap_alloc(reap, 50000, 8) != nullptr);
        REQUIRE(toft_reap_save(reap) != nullptr);
        CHECK(toft_reap_alloc(reap, 50000, 8) != nullptr);
        if (round % 2 == 0)
            toft_reap_reset(reap);
        else
            toft_reap_release(reap);
        toft_reap_stats stats = toft_reap_get_stats(reap);
        CHECK(stats.used_bytes == 0);
        CHECK(stats.free_bytes == 0);
        CHECK(reap.get()->savepoint == nullptr);
    }
}

TEST_CASE("a savepoint without memory is NULL and changes nothing") {
    counting_upstream upstream;
    reap_guard reap({.upstream = upstream.c(), .chunk_bytes = 256});
    void *object = alloc(reap);
    upstream.fail_at(1, true);
    while (toft_reap_alloc(reap, 640, 8) != nullptr) {}
    CHECK(toft_reap_save(reap) == nullptr);
    free(reap, object);
    CHECK(reap.get()->savepoint == nullptr);
    toft::reap other({.upstream = upstream.c()});
    CHECK_THROWS_AS(toft::reap_scope scope(other), std::bad_alloc);
}

TEST_CASE("scopes rewind") {
    toft::reap reap;
    int *outside = reap.make<int>(1);
    std::size_t used_bytes = 0;
    for (int round = 0; round < 10; round++) {
        {
            toft::reap_scope outer(reap);
            for (int i = 0; i < 1000; i++) CHECK(*reap.make<int>(i) == i);
            toft::reap_scope inner(outer);
            CHECK(reap.allocate(100000) != nullptr);
            reap.destroy(reap.make<int>(2));
            reap.destroy(reap.make<const int>(2));
        }
        if (round == 0) used_bytes = reap.stats().used_bytes;
    }
    if (!tracked()) CHECK(reap.stats().used_bytes == used_bytes);
    CHECK(*outside == 1);
}

TEST_CASE("a savepoint moves with its reap") {
    toft_reap from = TOFT_REAP_INIT;
    void *old = alloc(&from);
    toft_reap_savepoint *point = toft_reap_save(&from);
    void *since = alloc(&from);
    reap_guard to;
    toft_reap_move(to, &from);
    free(to, old);
    free(to, since);
    toft_reap_rewind(to, point);
    if (!tracked()) CHECK(alloc(to) == old);
}
