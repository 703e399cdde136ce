// SPDX-License-Identifier: MIT
// The strategy that a thread uses for now: blocks, malloc's shape over it, and allocators that take
// it by default.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <toft/containers.hpp>
#include <toft/current.hpp> // and nothing else: it brings all strategies along

#include "support/build.hpp"
#include "support/child.hpp"

namespace {

const toft_strategy nothing = {0};

bool is_current(toft_strategy strategy) { return toft_current_get().word == strategy.word; }

std::size_t used(toft::arena &arena) { return arena.stats().used_bytes; }
std::size_t used(toft::reap &reap) { return reap.stats().used_bytes; }

// While a tool tracks memory, a reap has a table of its own in its arena.
bool is_empty(toft::reap &reap) { return toft_test::address_sanitizer || used(reap) == 0; }

template <class T>
using current_vector = std::vector<T, toft::current_allocator<T>>;

} // namespace

TEST_CASE("blocks nest, and end in reverse order") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    CHECK(is_current(nothing));
    {
        toft::use outer(arena);
        CHECK(is_current(toft_strategy_of_arena(arena.c_arena())));
        {
            toft::use inner(reap);
            CHECK(is_current(toft_strategy_of_reap(reap.c_reap())));
            toft::use again(pool);
            CHECK(is_current(toft_strategy_of_pool(pool.c_pool())));
            toft::use none(toft::pool::shared());
            CHECK(is_current(nothing));
        }
        CHECK(is_current(toft_strategy_of_arena(arena.c_arena())));
    }
    CHECK(is_current(nothing));
}

TEST_CASE("the same arena in two blocks, one within the other") {
    toft::arena arena;
    toft_current_use outer = toft_current_push(toft_strategy_of_arena(arena.c_arena()));
    toft_current_use inner = toft_current_push(toft_strategy_of_arena(arena.c_arena()));
    toft_current_pop(inner);
    CHECK(is_current(toft_strategy_of_arena(arena.c_arena())));
    toft_current_pop(outer);
    CHECK(is_current(nothing));
}

TEST_CASE("an exception ends the blocks that it leaves") {
    toft::arena arena, inside;
    try {
        toft::use block(arena);
        toft::use inner(inside);
        throw std::runtime_error("out");
    } catch (const std::runtime_error &) {
        CHECK(is_current(nothing));
    }
}

TEST_CASE("each thread has blocks of its own, and may end within one") {
    toft::arena arena;
    toft::use block(arena);
    std::thread([] {
        CHECK(is_current(nothing));
        toft::arena own;
        toft_current_use never_ended = toft_current_push(toft_strategy_of_arena(own.c_arena()));
        CHECK(never_ended.before.word == 0);
        CHECK(toft_current_alloc(100) != nullptr);
    }).join();
    std::thread([] { CHECK(is_current(nothing)); }).join();
    CHECK(is_current(toft_strategy_of_arena(arena.c_arena())));
}

TEST_CASE("a forked child is in the same blocks") {
    toft::arena arena;
    toft::use block(arena);
    void *before = toft_current_alloc(10);
    CHECK(toft_test::runs_in_child([&] {
        CHILD_REQUIRE(is_current(toft_strategy_of_arena(arena.c_arena())));
        CHILD_REQUIRE(toft_current_alloc(1000) != nullptr);
        CHILD_REQUIRE(toft_current_resize(before, 100) != nullptr);
        std::thread([] { CHILD_REQUIRE(is_current(nothing)); }).join();
    }));
}

TEST_CASE("malloc's shape takes memory from what is current") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    void *shared = toft_current_alloc(100);
    CHECK(toft_pool_of(shared) == toft_pool_shared());
    {
        toft::use block(pool);
        void *object = toft_current_alloc(100);
        CHECK(toft_pool_of(object) == pool.c_pool());
        toft_current_free(shared); // to its own pool
        toft_current_free(object);
    }
    {
        toft::use block(arena);
        void *object = toft_current_alloc(100);
        CHECK(toft_pool_of(object) == nullptr);
        CHECK(used(arena) >= 100);
        toft_current_free(object); // the last one
        CHECK(used(arena) == 0);
    }
    {
        toft::use block(reap);
        void *first = toft_current_alloc(100), *second = toft_current_alloc(100);
        CHECK(used(reap) >= 200);
        toft_current_free(first);
        void *again = toft_current_alloc(100);
        if (!toft_test::address_sanitizer) CHECK(again == first); // handed out again
        toft_current_free(again);
        toft_current_free(second);
        CHECK(is_empty(reap));
    }
    toft_current_free(nullptr);
}

TEST_CASE("while an arena is current, frees go where their objects lie") {
    toft::pool pool;
    std::vector<void *> in_pool;
    {
        toft::use block(pool);
        for (const std::size_t size : {8u, 100u, 40'000u, 3'000'000u})
            in_pool.push_back(toft_current_alloc(size));
    }
    toft::arena arena;
    toft::use block(arena);
    std::vector<void *> objects;
    for (int i = 0; i < 3000; ++i) objects.push_back(toft_current_alloc(1000)); // many chunks
    void *const large = toft_current_alloc(5'000'000);
    const std::size_t before = used(arena);
    for (void *object : in_pool) toft_current_free(object);
    CHECK(pool.stats().live_bytes == 0);
    for (std::size_t i = 0; i != objects.size() - 2; ++i) toft_current_free(objects[i]);
    toft_current_free(nullptr);
    CHECK(used(arena) == before); // all of them stay
    toft_current_free(large);
    void *const last_but_one = toft_current_alloc(992), *const last = toft_current_alloc(992);
    toft_current_free(last);
    toft_current_free(last_but_one); // now it was the last one
    CHECK(used(arena) < before);
    if (!toft_test::address_sanitizer) CHECK(toft_current_alloc(992) == last_but_one);
}

TEST_CASE("a pool may have its memory from the arena that is current") {
    toft::arena arena;
    const toft_upstream upstream = {
        [](void *from, std::size_t size, std::size_t alignment) {
            return toft_arena_alloc(static_cast<toft_arena *>(from), size, alignment);
        },
        [](void *, void *, std::size_t, std::size_t) {}, arena.c_arena()};
    toft_pool_options options = {};
    options.upstream = &upstream;
    toft_pool *pool = toft_pool_create(&options);
    REQUIRE(pool != nullptr);
    void *objects[] = {toft_pool_alloc(pool, 100), toft_pool_alloc(pool, 300'000)};
    {
        toft::use block(arena);
        void *beside = toft_current_alloc(100);
        for (void *object : objects) toft_current_free(object);
        CHECK(toft_pool_get_stats(pool).live_bytes == 0);
        toft_current_free(beside);
    }
    toft_pool_destroy(pool);
}

// At the end of a chunk, where other memory may begin.
TEST_CASE("an empty object in a use has an address of its own, in its own memory") {
    toft::reap reap;
    toft::arena arena;
    for (const toft_strategy strategy :
         {toft_strategy_of_arena(arena.c_arena()), toft_strategy_of_reap(reap.c_reap())}) {
        const toft_current_use use = toft_current_push(strategy);
        for (int i = 0; i < 30'000; ++i) {
            CHECK(toft_pool_of(toft_current_alloc(0)) == nullptr);
            void *const last = toft_current_alloc(16);
            CHECK(toft_current_alloc(0) != last);
        }
        toft_current_pop(use);
    }
}

TEST_CASE("an arena may be reset and released while it is current") {
    toft::arena arena;
    toft::use block(arena);
    for (int round = 0; round < 6; ++round) {
        void *first = toft_current_alloc(100);
        REQUIRE(first != nullptr);
        for (int i = 0; i < 2000; ++i) REQUIRE(toft_current_alloc(500) != nullptr);
        void *last = toft_current_alloc(100);
        toft_current_free(first);
        const std::size_t before = used(arena);
        toft_current_free(last);
        CHECK(used(arena) < before);
        if (round % 2 == 0)
            arena.reset();
        else
            arena.release();
        CHECK(used(arena) == 0);
    }
}

TEST_CASE("an object of an arena or reap that isn't current stays where it is") {
    toft::arena arena, other;
    toft::reap reap, other_reap;
    void *in_arena, *in_reap;
    {
        toft::use block(arena);
        in_arena = toft_current_alloc(100);
        toft::use inner(reap);
        in_reap = toft_current_alloc(100);
    }
    const std::size_t of_arena = used(arena), of_reap = used(reap);
    auto free_both = [&] {
        toft_current_free(in_arena);
        toft_current_free(in_reap);
    };
    free_both();
    {
        toft::use block(other);
        void *last = toft_current_alloc(8);
        free_both();
        toft_current_free(last);
    }
    {
        toft::use block(other_reap);
        free_both();
        CHECK(is_empty(other_reap));
    }
    std::thread(free_both).join();
    CHECK(used(arena) == of_arena);
    CHECK(used(reap) == of_reap);
}

TEST_CASE("a resized object stays in its strategy") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    const toft_strategy strategies[] = {nothing, toft_strategy_of_arena(arena.c_arena()),
                                        toft_strategy_of_reap(reap.c_reap()),
                                        toft_strategy_of_pool(pool.c_pool())};
    static constexpr std::size_t sizes[] = {1, 7, 100, 90, 5000, 40, 100000, 2000000, 17};
    auto expect_contents = [](const char *object, std::size_t size) {
        for (std::size_t i = 0; i < size; i++) REQUIRE(object[i] == static_cast<char>(i));
    };
    for (toft_strategy made_in : strategies)
        for (toft_strategy resized_in : strategies) {
            char *object = nullptr;
            std::size_t size = 0;
            toft_pool *owner = nullptr;
            for (std::size_t next : sizes) {
                toft::use block(size == 0 ? made_in : resized_in);
                object = static_cast<char *>(toft_current_resize(object, next));
                REQUIRE(object != nullptr);
                if (next > 8) CHECK(reinterpret_cast<std::uintptr_t>(object) % 16 == 0);
                expect_contents(object, size < next ? size : next);
                for (std::size_t i = 0; i < next; i++) object[i] = static_cast<char>(i);
                if (size == 0) owner = toft_pool_of(object);
                CHECK(toft_pool_of(object) == owner);
                size = next;
            }
            toft::use block(made_in);
            CHECK(toft_current_resize(object, 0) == nullptr);
        }
    CHECK(is_empty(reap));
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("the last allocation grows where it is") {
    toft::arena arena;
    toft::use block(arena);
    void *object = toft_current_alloc(100);
    for (std::size_t size = 100; size < 20000; size += 100) {
        CHECK(toft_current_resize(object, size) == object);
    }
    CHECK(used(arena) < 21000);
}

TEST_CASE("every alignment, zeroed arrays, copies of strings") {
    toft::arena arena;
    toft::reap reap;
    toft::pool pool;
    for (toft_strategy strategy :
         {nothing, toft_strategy_of_arena(arena.c_arena()), toft_strategy_of_reap(reap.c_reap()),
          toft_strategy_of_pool(pool.c_pool())}) {
        toft::use block(strategy);
        for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
            void *object = toft_current_alloc_aligned(100, alignment);
            REQUIRE(object != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(object) % alignment == 0);
            std::memset(object, 'x', 100);
            object = toft_current_resize(object, 200);
            CHECK(static_cast<char *>(object)[99] == 'x');
            toft_current_free(object);
        }
        CHECK(toft_current_alloc_aligned(1, 3) == nullptr);
        char *zeroed = static_cast<char *>(toft_current_calloc(10, 100));
        for (int i = 0; i < 1000; i++) REQUIRE(zeroed[i] == 0);
        char *copy = toft_current_strdup("text");
        CHECK(std::string(copy) == "text");
        void *empty = toft_current_alloc(0), *another = toft_current_alloc(0);
        CHECK(empty != another);
        for (void *object :
             {another, empty, static_cast<void *>(copy), static_cast<void *>(zeroed)})
            toft_current_free(object);
    }
    CHECK(is_empty(reap));
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("too much is NULL, and changes nothing") {
    toft::arena arena({.limit_bytes = 1 << 20});
    toft::reap reap({.limit_bytes = 1 << 20});
    toft::pool pool({.limit_bytes = 4 << 20});
    for (toft_strategy strategy :
         {toft_strategy_of_arena(arena.c_arena()), toft_strategy_of_reap(reap.c_reap()),
          toft_strategy_of_pool(pool.c_pool()), nothing}) {
        toft::use block(strategy);
        void *object = toft_current_alloc(100);
        std::memset(object, 'x', 100);
        std::size_t huge = PTRDIFF_MAX;
        for (std::size_t size : {huge, huge - 15, huge + 1, SIZE_MAX, SIZE_MAX - 16}) {
            CHECK(toft_current_alloc(size) == nullptr);
            CHECK(toft_current_alloc_aligned(size, 4096) == nullptr);
            CHECK(toft_current_calloc(size, 2) == nullptr);
            CHECK(toft_current_resize(object, size) == nullptr);
        }
        CHECK(toft_current_alloc_aligned(1, huge + 1) == nullptr);
        if (strategy.word != 0) CHECK(toft_current_resize(object, 64 << 20) == nullptr);
        CHECK(static_cast<char *>(object)[99] == 'x');
        toft_current_free(object);
    }
}

TEST_CASE(
    "what is freed against the rules, when its memory is gone, does an empty strategy no harm") {
    void *kept;
    {
        toft::arena gone;
        toft::use block(gone);
        kept = toft_current_alloc(100 << 20);
    }
    toft_trim();
    if (toft_test::address_sanitizer) return; // which would report it
    toft_current_free(kept);
    toft::arena arena;
    toft::use block(arena);
    toft_current_free(kept);
    CHECK(used(arena) == 0);
    toft::reap reap;
    toft::use inner(reap);
    toft_current_free(kept);
    CHECK(used(reap) == 0);
}

TEST_CASE("an allocator takes what is current when it is made, and keeps it") {
    toft::arena arena;
    toft::pool pool;
    current_vector<int> outside;
    toft::use block(arena);
    current_vector<int> inside, other;
    outside.assign(1000, 1);
    CHECK(used(arena) == 0);
    inside.assign(1000, 2);
    CHECK(used(arena) >= 4000);
    CHECK(inside.get_allocator() == other.get_allocator());
    CHECK(inside.get_allocator() != outside.get_allocator());
    CHECK(toft::current_allocator<char>(inside.get_allocator()) == inside.get_allocator());
    CHECK(toft_pool_of(outside.data()) == toft_pool_shared());
    current_vector<int> named(pool);
    named.assign(1000, 3);
    CHECK(toft_pool_of(named.data()) == pool.c_pool());
}

TEST_CASE("copies take what is current, moves take the memory along, assignments stay") {
    toft::arena arena;
    current_vector<int> kept;
    {
        toft::use block(arena);
        current_vector<int> made(1000, 7);
        kept = made; // into the memory of kept
        {
            toft::use outside(toft::pool::shared());
            current_vector<int> copy = made;
            CHECK(toft_pool_of(copy.data()) == toft_pool_shared());
            const int *data = made.data();
            current_vector<int> moved = std::move(made);
            CHECK(moved.data() == data);
            CHECK(moved.get_allocator() != copy.get_allocator());
            swap(moved, copy);
            CHECK(copy.data() == data);
        }
    }
    CHECK(toft_pool_of(kept.data()) == toft_pool_shared());
    arena.reset();
    CHECK(kept == current_vector<int>(1000, 7));
}

TEST_CASE(
    "a vector that grows in a block leaves elements where they are, if their move is noexcept") {
    struct session {
        toft::deque<int, toft::current> jobs; // whose own move may throw
        session() = default;
        session(const session &) = default;
        session(session &&other) noexcept : jobs(std::move(other.jobs)) {}
    };
    toft::arena arena;
    std::vector<session> sessions(1);
    {
        toft::use block(arena);
        for (int i = 0; i < 10; i++) sessions.emplace_back();
    }
    CHECK(sessions[0].jobs.get_allocator() == toft::current_allocator<int>());
    CHECK(sessions[1].jobs.get_allocator() == toft::current_allocator<int>(arena));
}

TEST_CASE("elements lie where their container does") {
    toft::arena arena;
    using text = toft::basic_string<char, toft::current>;
    toft::map<int, toft::vector<text, toft::current>, toft::current> map(arena);
    map[1].emplace_back("a text that is too long to lie in the string itself");
    CHECK(map[1][0].get_allocator() == map.get_allocator());
    CHECK(map[1].get_allocator() == map.get_allocator());
    auto copy = map; // outside of all blocks: all of it in the shared pool
    CHECK(toft_pool_of(copy[1][0].data()) == toft_pool_shared());
}

TEST_CASE("an allocator without state frees rightly, whatever is current") {
    using text = toft::basic_string<char, toft::owned_by_current>;
    static_assert(toft::owned_by_current_allocator<int>::is_always_equal::value);
    const char *words = "a text that is too long to lie in the string itself";
    toft::reap reap;
    toft::arena arena;
    auto shared = std::make_unique<text>(words);
    std::vector<std::unique_ptr<text>> made;
    {
        toft::use block(reap);
        made.push_back(std::make_unique<text>(words));
        CHECK(used(reap) != 0);
        shared.reset();
        made[0].reset();
        CHECK(is_empty(reap));
        toft::use inner(arena);
        made.push_back(std::make_unique<text>(words));
    }
    made.clear();
}
