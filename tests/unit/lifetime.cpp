// SPDX-License-Identifier: MIT
// <toft/arena.h>: savepoints, deferred functions, reset and release.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include <toft/arena.hpp>

#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

namespace {

// What deferred functions note: the letter each was given, in the order of their calls.
std::string called;
void note(void *letter) { called += *static_cast<char *>(letter); }
char letters[] = "abcdefghijklmnopqrstuvwxyz";

void defer(toft_arena *arena, char letter) {
    REQUIRE(toft_arena_defer(arena, note, &letters[letter - 'a']));
}

} // namespace

TEST_CASE("rewind frees what came after the savepoint, and nothing before") {
    arena_guard arena;
    char *before = toft_arena_strdup(arena, "before");
    toft_savepoint point = toft_arena_save(arena);
    std::size_t used_bytes = toft_arena_get_stats(arena).used_bytes;
    for (std::size_t size : {10u, 1000u, 60000u, 100000u, 5000000u, 10u}) {
        for (int i = 0; i < 20; i++) {
            auto *p = static_cast<char *>(toft_arena_alloc(arena, size, 8));
            REQUIRE(p != nullptr);
            std::memset(p, 'x', size);
        }
        toft_arena_rewind(arena, point); // a savepoint can be used again and again
        CHECK(toft_arena_get_stats(arena).used_bytes == used_bytes);
        CHECK(std::strcmp(before, "before") == 0);
    }
}

TEST_CASE("savepoints nest across chunks") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 1024});
    std::vector<toft_savepoint> points;
    std::vector<std::size_t> used_bytes;
    std::vector<char *> texts;
    for (int depth = 0; depth < 100; depth++) {
        points.push_back(toft_arena_save(arena));
        used_bytes.push_back(toft_arena_get_stats(arena).used_bytes);
        texts.push_back(toft_arena_strdup(arena, std::to_string(depth).c_str()));
        REQUIRE(toft_arena_alloc(arena, static_cast<std::size_t>(depth) * 97, 16) != nullptr);
    }
    std::size_t allocations = upstream.allocations;
    while (!points.empty()) {
        for (std::size_t i = 0; i < texts.size(); i++) CHECK(texts[i] == std::to_string(i));
        toft_arena_rewind(arena, points.back());
        CHECK(toft_arena_get_stats(arena).used_bytes == used_bytes.back());
        points.pop_back(), used_bytes.pop_back(), texts.pop_back();
    }
    CHECK(toft_arena_get_stats(arena).used_bytes == 0);
    CHECK(upstream.frees == 0);
    CHECK(upstream.allocations == allocations);
}

TEST_CASE("a savepoint from before the first chunk frees all, and keeps the memory") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c()});
    toft_savepoint start = toft_arena_save(arena);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 100; i++) REQUIRE(toft_arena_alloc(arena, 10000, 8) != nullptr);
        toft_arena_rewind(arena, start);
        CHECK(toft_arena_get_stats(arena).used_bytes == 0);
    }
    CHECK(upstream.frees == 0);
    CHECK(upstream.allocations <= 3);
}

TEST_CASE("what lay at a savepoint may be freed before the rewind") {
    arena_guard arena;
    char *before = toft_arena_strdup(arena, "before");
    void *last = toft_arena_alloc(arena, 1000, 8);
    toft_savepoint point = toft_arena_save(arena);
    CHECK(toft_arena_free_last(arena, last, 1000));
    std::size_t used_bytes = toft_arena_get_stats(arena).used_bytes;
    toft_arena_rewind(arena, point);
    CHECK(toft_arena_get_stats(arena).used_bytes == used_bytes);
    REQUIRE(toft_arena_alloc(arena, 2000, 8) != nullptr);
    toft_arena_rewind(arena, point);
    CHECK(toft_arena_get_stats(arena).used_bytes <= used_bytes + 1100);
    CHECK(std::strcmp(before, "before") == 0);
}

// What the header promises of an older object's place.
TEST_CASE("a rewind frees what took an older object's place, and keeps the place") {
    if (tracked()) return; // objects take more room then
    for (std::size_t size : {8u, 64u, 200u}) {
        arena_guard arena;
        REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        toft_savepoint earlier = toft_arena_save(arena);
        auto *older = static_cast<char *>(toft_arena_alloc(arena, 64, 8));
        toft_savepoint point = toft_arena_save(arena);
        std::size_t used_bytes = toft_arena_get_stats(arena).used_bytes;
        CHECK(toft_arena_free_last(arena, older, 64));
        REQUIRE(toft_arena_alloc(arena, size, 8) == older);
        bool ran = false;
        auto set = [](void *flag) { *static_cast<bool *>(flag) = true; };
        REQUIRE(toft_arena_defer(arena, set, &ran));
        for (int times = 0; times < 2; times++) {
            toft_arena_rewind(arena, point);
            CHECK(ran);
            CHECK(toft_arena_get_stats(arena).used_bytes <= used_bytes);
            auto *next = static_cast<char *>(toft_arena_alloc(arena, 64, 8));
            REQUIRE(next != nullptr);
            if (size >= 64) CHECK(next == older + 64);
            if (times == 0) CHECK(next > older);
        }
        toft_arena_rewind(arena, earlier);
        CHECK(toft_arena_alloc(arena, 64, 8) == older);
    }
}

TEST_CASE("deferred functions run last first, at rewind, reset and release") {
    toft_arena arena = TOFT_ARENA_INIT;
    called.clear();
    defer(&arena, 'a');
    defer(&arena, 'b');
    toft_savepoint point = toft_arena_save(&arena);
    defer(&arena, 'c');
    REQUIRE(toft_arena_alloc(&arena, 1000000, 8) != nullptr);
    defer(&arena, 'd');
    toft_arena_rewind(&arena, point);
    CHECK(called == "dc");
    toft_arena_rewind(&arena, point);
    CHECK(called == "dc");
    defer(&arena, 'e');
    toft_arena_reset(&arena);
    CHECK(called == "dceba");
    toft_arena_reset(&arena);
    defer(&arena, 'f');
    defer(&arena, 'g');
    toft_arena_release(&arena);
    CHECK(called == "dcebagf");
    toft_arena_release(&arena);
    CHECK(called == "dcebagf");
}

TEST_CASE("deferred functions may allocate and defer") {
    struct context {
        toft_arena *arena;
        int left;
        static void run(void *argument) {
            auto *self = static_cast<context *>(argument);
            called += static_cast<char>('0' + self->left);
            // Enough to need new chunks while old ones are on their way out.
            auto *p = static_cast<char *>(toft_arena_alloc(self->arena, 300000, 8));
            REQUIRE(p != nullptr);
            std::memset(p, 'x', 300000);
            if (self->left-- > 0) REQUIRE(toft_arena_defer(self->arena, run, self));
        }
    };
    for (int how = 0; how < 3; how++) {
        arena_guard arena;
        called.clear();
        context again = {arena, 3};
        if (how == 2) REQUIRE(toft_arena_alloc(arena, 8, 8) != nullptr);
        toft_savepoint point = toft_arena_save(arena);
        defer(arena, 'a');
        REQUIRE(toft_arena_defer(arena, context::run, &again));
        defer(arena, 'b');
        if (how == 0) toft_arena_reset(arena);
        if (how == 1) toft_arena_release(arena);
        if (how == 2) toft_arena_rewind(arena, point);
        CHECK(called == "b3210a");
        CHECK(toft_arena_get_stats(arena).used_bytes <= 24);
    }
}

TEST_CASE("objects are still valid while deferred functions run") {
    struct node {
        node *next;
        int value;
    };
    static int sum;
    sum = 0;
    arena_guard arena;
    node *list = nullptr;
    for (int i = 1; i <= 1000; i++) {
        node *made = toft_new(arena.get(), node);
        REQUIRE(made != nullptr);
        *made = {list, i};
        list = made;
        if (i % 100 == 0) REQUIRE(toft_arena_alloc(arena, 50000, 8) != nullptr);
    }
    REQUIRE(toft_arena_defer(
        arena,
        [](void *first) {
            for (auto *n = static_cast<node *>(first); n != nullptr; n = n->next) sum += n->value;
        },
        list));
    toft_arena_reset(arena);
    CHECK(sum == 500500);
}

TEST_CASE("defer that finds no memory notes nothing") {
    counting_upstream upstream;
    called.clear();
    {
        arena_guard arena({.upstream = upstream.c(), .chunk_bytes = 128});
        upstream.fail_at(1, true);
        CHECK_FALSE(toft_arena_defer(arena, note, &letters[0]));
        upstream.work_again();
        defer(arena, 'b');
        upstream.fail_at(1, true);
        while (toft_arena_alloc(arena, 8, 8) != nullptr) {}
        CHECK_FALSE(toft_arena_defer(arena, note, &letters[2]));
    }
    CHECK(called == "b");
}

TEST_CASE("reset keeps the memory, release gives it back") {
    counting_upstream upstream;
    arena_guard arena({.upstream = upstream.c()});
    for (int i = 0; i < 100; i++) REQUIRE(toft_arena_alloc(arena, 10000, 8) != nullptr);
    std::size_t live_bytes = upstream.live_bytes;
    toft_arena_reset(arena);
    CHECK(upstream.live_bytes == live_bytes);
    CHECK(toft_arena_get_stats(arena).reserved_bytes == live_bytes);
    toft_arena_release(arena);
    CHECK(upstream.live_bytes == 0);
    CHECK(upstream.frees == upstream.allocations);
    CHECK(toft_arena_strdup(arena, "as new") != nullptr);
    CHECK(upstream.live_blocks() == 1);
}

#ifdef TOFT_TEST_ASAN
TEST_CASE("what isn't allocated is poisoned, what is isn't") {
    arena_guard arena;
    auto *kept = static_cast<char *>(toft_arena_alloc(arena, 13, 1));
    CHECK(poisoned(kept - 1));
    CHECK_FALSE(poisoned(kept));
    CHECK_FALSE(poisoned(kept + 12));
    CHECK(poisoned(kept + 13));
    toft_savepoint point = toft_arena_save(arena);
    auto *a = static_cast<char *>(toft_arena_alloc(arena, 100, 8));
    auto *b = static_cast<char *>(toft_arena_alloc(arena, 1000000, 8));
    auto *c = static_cast<char *>(toft_arena_alloc(arena, 100, 8));
    CHECK(poisoned(b + 1000000));
    CHECK(toft_arena_free_last(arena, c, 100));
    CHECK(poisoned(c));
    toft_arena_rewind(arena, point);
    for (char *p : {a, a + 99, b, b + 500000, c}) CHECK(poisoned(p));
    CHECK_FALSE(poisoned(kept));
    toft_arena_reset(arena);
    CHECK(poisoned(kept));
}

TEST_CASE("an object at the end of a chunk has poisoned bytes behind it too") {
    arena_guard arena;
    for (int i = 0; i < 20000; i++) {
        auto *object = static_cast<char *>(toft_arena_alloc(arena, 48, 8));
        REQUIRE(poisoned(object + 48));
    }
    for (std::size_t size = 1000000; size < 1100000; size += 4096 - 16)
        CHECK(poisoned(static_cast<char *>(toft_arena_alloc(arena, size, 8)) + size));
}
#endif

TEST_CASE("an inline arena that ends within its buffer runs what was deferred") {
    called.clear();
    {
        toft::inline_arena<500> arena;
        defer(arena.c_arena(), 'a');
        defer(arena.c_arena(), 'b');
    }
    CHECK(called == "ba");
}

TEST_CASE("an arena that is moved to itself stays as it is") {
    arena_guard arena({.limit_bytes = 1000000});
    char *text = toft_arena_strdup(arena, "text");
    toft_arena *self = arena;
    toft_arena_move(self, self);
    CHECK(std::strcmp(text, "text") == 0);
    CHECK(toft_arena_get_stats(arena).used_bytes > 0);
    CHECK(toft_arena_alloc(arena, 1000000, 8) == nullptr);
}
