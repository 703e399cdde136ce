// SPDX-License-Identifier: MIT
// The strategy that a thread uses for now: blocks, and allocators that take it by default.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <toft/containers.hpp>
#include <toft/current.hpp> // and nothing else: it brings all strategies along

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/used.hpp"

using namespace toft_test;

namespace {

const toft_strategy nothing = {0};

bool is_current(toft_strategy strategy) { return toft_current_get().word == strategy.word; }

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

TEST_CASE("an allocator throws where the objects' bytes can't be represented") {
    toft::arena arena;
    toft::use block(arena);
    volatile std::size_t wraps = SIZE_MAX / sizeof(int) + 3; // to 8 bytes
    toft::current_allocator<int> current;
    CHECK_THROWS_AS((void)current.allocate(wraps), std::bad_alloc);
    toft::owned_by_current_allocator<int> owned;
    CHECK_THROWS_AS((void)owned.allocate(wraps), std::bad_alloc);
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
