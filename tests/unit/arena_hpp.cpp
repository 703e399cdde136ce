// SPDX-License-Identifier: MIT
// <toft/arena.hpp>: toft::arena, toft::scope, toft::inline_arena.
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <toft/arena.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "unit/c_user.h"

using namespace toft_test;

namespace {

// Notes its birth and death; the nth construction throws, if so set.
struct witness {
    static inline std::vector<int> died;
    static inline int alive = 0;
    static inline int constructions_until_throw = 0;

    int id;
    explicit witness(int given = 0) : id(given) {
        if (constructions_until_throw != 0 && --constructions_until_throw == 0)
            throw std::runtime_error("as asked");
        alive++;
    }
    ~witness() {
        died.push_back(id);
        alive--;
    }
    witness(const witness &) = delete;
    witness &operator=(const witness &) = delete;

    static void forget() {
        died.clear();
        alive = 0;
        constructions_until_throw = 0;
    }
};

struct alignas(256) wide {
    char bytes[300];
};
struct alignas(4096) wide_witness : witness {
    using witness::witness;
};

template <class T>
bool is_aligned_for(const T *p) {
    return reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
}

std::size_t used_bytes(const toft::arena &arena) { return arena.stats().used_bytes; }

// What is constructed at run time forgets, when its turn comes, what was made in it before.
extern toft::arena static_arena;
const int *const made_early = static_arena.make<int>(7);
constinit toft::arena static_arena;

} // namespace

static_assert(!std::copy_constructible<toft::arena>);
static_assert(!std::is_copy_assignable_v<toft::arena>);
static_assert(std::is_nothrow_move_constructible_v<toft::arena>);
static_assert(std::is_nothrow_move_assignable_v<toft::arena>);
static_assert(sizeof(toft::arena) == sizeof(toft_arena));
static_assert(!std::move_constructible<toft::inline_arena<64>>);
static_assert(!std::is_move_assignable_v<toft::inline_arena<64>>);
static_assert(!std::constructible_from<toft::arena, toft::inline_arena<64>>);
static_assert(!std::is_assignable_v<toft::arena &, toft::inline_arena<64>>);
static_assert(!std::is_copy_constructible_v<toft::scope>);

TEST_CASE("allocate gives aligned memory, or throws and changes nothing") {
    toft::arena arena;
    for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        void *p = arena.allocate(10, alignment);
        CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    }
    std::size_t before_bytes = used_bytes(arena);
    volatile std::size_t enormous = SIZE_MAX, uneven = 3, none = 0;
    CHECK_THROWS_AS((void)arena.allocate(enormous), std::bad_alloc);
    CHECK_THROWS_AS((void)arena.allocate(8, uneven), std::bad_alloc);
    CHECK_THROWS_AS((void)arena.allocate(8, none), std::bad_alloc);
    CHECK_THROWS_AS((void)arena.make_span<int>(enormous), std::bad_alloc);
    CHECK_THROWS_AS((void)arena.make_span<std::string>(enormous / 16), std::bad_alloc);
    CHECK(arena.try_allocate(enormous) == nullptr);
    CHECK(arena.try_allocate(8, uneven) == nullptr);
    CHECK(arena.try_allocate(8) != nullptr);
    CHECK(used_bytes(arena) <= before_bytes + 64);
}

TEST_CASE("make constructs, and destroys in reverse order") {
    witness::forget();
    toft::arena arena;
    for (int i = 1; i <= 3; i++) CHECK(arena.make<witness>(i)->id == i);
    arena.reset();
    CHECK(witness::died == std::vector{3, 2, 1});
    arena.make<witness>(4);
    toft::savepoint point = arena.save();
    arena.make<witness>(5);
    arena.make<witness>(6);
    arena.rewind(point);
    CHECK(witness::died == std::vector{3, 2, 1, 6, 5});
    arena.release();
    CHECK(witness::died == std::vector{3, 2, 1, 6, 5, 4});
    {
        toft::arena brief;
        brief.make<witness>(7);
    }
    CHECK(witness::died.back() == 7);
    CHECK(witness::alive == 0);
}

TEST_CASE("make of a const type") {
    toft::arena arena;
    const std::string *text = arena.make<const std::string>(100u, 'x');
    CHECK(text->size() == 100);
    CHECK(*arena.make<const int>(7) == 7);
}

TEST_CASE("make of a type without destructor registers nothing") {
    toft::arena arena;
    struct point {
        int x, y;
    };
    point *p = arena.make<point>(1, 2);
    CHECK(p->x + p->y == 3);
    CHECK(*arena.make<int>() == 0);
    CHECK(*arena.make<double>(2.5) == 2.5);
    auto moved_in = std::make_unique<int>(7);
    int *raw = moved_in.get();
    CHECK(arena.make<std::unique_ptr<int>>(std::move(moved_in))->get() == raw);
    arena.reset();
    arena.make<point>(3, 4);
    CHECK(arena.c_arena()->deferred == nullptr);
}

TEST_CASE("arena: a constructor that throws leaves nothing behind") {
    witness::forget();
    toft::arena arena;
    arena.make<witness>(1);
    std::size_t before_bytes = used_bytes(arena);
    toft_deferred *registered = arena.c_arena()->deferred;
    witness::constructions_until_throw = 1;
    CHECK_THROWS_AS(arena.make<witness>(2), std::runtime_error);
    witness::constructions_until_throw = 1;
    CHECK_THROWS_AS(arena.make<wide_witness>(3), std::runtime_error);
    struct plain { // trivially destructible, and yet its constructor may throw
        plain() { throw std::runtime_error("always"); }
    };
    const std::size_t with_padding = used_bytes(arena);
    CHECK_THROWS_AS(arena.make<plain>(), std::runtime_error);
    CHECK(used_bytes(arena) == with_padding);
    CHECK(arena.c_arena()->deferred == registered);
    CHECK(used_bytes(arena) <= before_bytes + 2 * alignof(wide_witness));
    arena.reset();
    CHECK(witness::died == std::vector{1});
    CHECK(witness::alive == 0);
}

TEST_CASE("a constructor may allocate in the same arena, and then throw") {
    witness::forget();
    struct parent {
        witness *child;
        std::string text = "long enough to be on the heap, so that a leak would be seen";
        parent(toft::arena &in, bool fails) : child(in.make<witness>(1)) {
            if (fails) throw std::runtime_error("as asked");
        }
        ~parent() { witness::died.push_back(child->id + 100); }
    };
    toft::arena arena;
    CHECK_THROWS_AS(arena.make<parent>(arena, true), std::runtime_error);
    arena.make<parent>(arena, false);
    arena.reset();
    // A parent is destroyed before its child. Where the parent's constructor throws, its child,
    // which was made already, is destroyed as well.
    CHECK(witness::died == std::vector{101, 1, 1});
}

TEST_CASE("make_span value-initialises and destroys last first") {
    witness::forget();
    toft::arena arena;
    for (int &n : arena.make_span<int>(1000)) n = -1;
    arena.reset();
    for (int n : arena.make_span<int>(1000)) CHECK(n == 0);
    std::span<witness> several = arena.make_span<witness>(3);
    for (int i = 0; i < 3; i++) several[static_cast<std::size_t>(i)].id = i;
    CHECK(arena.make_span<witness>(0).empty());
    CHECK(arena.make_span<char>(0).data() != nullptr);
    arena.reset();
    CHECK(witness::died == std::vector{2, 1, 0});
}

TEST_CASE("make_span that throws half-way destroys what it made, and registers nothing") {
    witness::forget();
    toft::arena arena;
    arena.make<witness>(7);
    std::size_t before_bytes = used_bytes(arena);
    witness::constructions_until_throw = 5;
    CHECK_THROWS_AS((void)arena.make_span<witness>(10), std::runtime_error);
    CHECK(witness::died.size() == 4);
    CHECK(witness::alive == 1);
    CHECK(used_bytes(arena) == before_bytes);
    arena.reset();
    CHECK(witness::alive == 0);
    CHECK(witness::died.size() == 5);
}

TEST_CASE("make and make_span without memory leave nothing behind") {
    witness::forget();
    for (bool used : {false, true}) {
        counting_upstream upstream;
        {
            toft::arena arena({.upstream = upstream.c(), .chunk_bytes = 128});
            if (used) (void)arena.allocate(8);
            upstream.fail_at(1, true);
            CHECK_THROWS_AS(arena.make<wide_witness>(1), std::bad_alloc);
            CHECK_THROWS_AS((void)arena.make_span<witness>(1000), std::bad_alloc);
            CHECK_THROWS_AS(arena.defer([text = std::string(100, 'x'), big = wide()] {
                (void)text, (void)big;
            }),
                            std::bad_alloc);
            while (arena.try_allocate(8) != nullptr) {}
            CHECK_THROWS_AS(arena.defer([](void *) {}, nullptr), std::bad_alloc);
            CHECK(arena.c_arena()->deferred == nullptr);
            upstream.work_again();
            arena.make<wide_witness>(2);
        }
        CHECK(upstream.live_blocks() == 0);
    }
    CHECK(witness::died == std::vector{2, 2});
}

TEST_CASE("over-aligned types are aligned") {
    witness::forget();
    toft::arena arena;
    for (int i = 0; i < 10; i++) {
        (void)arena.allocate(8, 8);
        CHECK(is_aligned_for(arena.make<wide>()));
        CHECK(is_aligned_for(arena.make<wide_witness>(i)));
        CHECK(is_aligned_for(arena.make_span<wide>(3).data()));
        CHECK(is_aligned_for(arena.make_span<wide_witness>(2).data()));
    }
    arena.reset();
    CHECK(witness::alive == 0);
}

TEST_CASE("defer takes a function with an argument, or anything callable") {
    toft::arena arena;
    std::string order;
    arena.defer([](void *to) { *static_cast<std::string *>(to) += 'a'; }, &order);
    arena.defer([&order] { order += 'b'; });
    auto by_name = [&order, owned = std::make_shared<int>(1)] { order += 'c'; };
    arena.defer(by_name);
    arena.defer(
        [&order, owned = std::make_unique<int>(2)] { order += static_cast<char>('b' + *owned); });
    static int calls;
    calls = 0;
    arena.defer(+[] { calls++; });
    struct counts {
        [[nodiscard]] int operator()() const { return calls++; }
    };
    arena.defer(counts());
    arena.reset();
    CHECK(order == "dcba");
    CHECK(calls == 2);
}

TEST_CASE("an arena moves: pointers stay valid, the source is as new") {
    witness::forget();
    counting_upstream upstream;
    {
        toft::arena from({.upstream = upstream.c()});
        witness *one = from.make<witness>(1);
        toft::arena to = std::move(from);
        CHECK(one->id == 1);
        to.make<witness>(2);
        CHECK(from.stats().reserved_bytes == 0);
        (void)from.allocate(100);

        toft::arena other({.upstream = upstream.c()});
        other.make<witness>(3);
        other = std::move(to);
        CHECK(witness::died == std::vector{3});
        CHECK(one->id == 1);
        other.make<witness>(4);

        toft::arena &same = other;
        other = std::move(same);
        CHECK(one->id == 1);
        CHECK(used_bytes(other) > 0);

        std::vector<toft::arena> several;
        several.push_back(std::move(other));
        for (int i = 0; i < 10; i++) several.emplace_back();
        (void)several.front().allocate(1000000);
        CHECK(one->id == 1);
    }
    CHECK(witness::died == std::vector{3, 4, 2, 1});
    CHECK(upstream.live_blocks() == 0);
}

TEST_CASE("a scope rewinds at the end of its block") {
    witness::forget();
    toft::arena arena;
    arena.make<witness>(1);
    std::size_t before_bytes = used_bytes(arena);
    for (int i = 0; i < 10; i++) {
        toft::scope outer(arena);
        arena.make<witness>(2);
        {
            toft::scope inner(outer);
            (void)arena.allocate(500000);
            arena.make<witness>(3);
        }
        toft::scope scratch(arena.c_arena());
    }
    CHECK(used_bytes(arena) == before_bytes);
    CHECK(witness::alive == 1);
    try {
        toft::scope scratch(arena);
        arena.make<witness>(4);
        throw 1;
    } catch (int) {
        CHECK(witness::alive == 1);
    }
}

TEST_CASE("an inline arena takes nothing from its upstream while N bytes suffice") {
    if (tracked()) return; // objects take more room then
    counting_upstream upstream;
    toft::inline_arena<1000> arena({.upstream = upstream.c()});
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 125; i++) (void)arena.allocate(8, 8);
        CHECK(upstream.calls == 0);
        arena.reset();
    }
    (void)arena.allocate(1000, 8);
    CHECK(upstream.calls == 0);
    (void)arena.allocate(1, 8);
    CHECK(upstream.calls == 1);
    auto *inside = static_cast<char *>((arena.release(), arena.allocate(8)));
    CHECK(inside > reinterpret_cast<char *>(&arena));
    CHECK(inside < reinterpret_cast<char *>(&arena + 1));
}

TEST_CASE("the storage of an inline arena is free for others after its end") {
    witness::forget();
    alignas(toft::inline_arena<500>) static unsigned char storage[sizeof(toft::inline_arena<500>)];
    for (int round = 0; round < 3; round++) {
        auto *arena = ::new (storage) toft::inline_arena<500>;
        arena->make<witness>(round);
        (void)arena->allocate(2000);
        std::destroy_at(arena);
        std::memset(storage, 0xab, sizeof storage);
    }
    CHECK(witness::died == std::vector{0, 1, 2});
}

TEST_CASE("a static arena is there before the first static object") {
    CHECK(*made_early == 7);
    CHECK(used_bytes(static_arena) != 0);
    static_arena.reset();
    CHECK(used_bytes(static_arena) == 0);
}

TEST_CASE("the same arena in C and C++") {
    toft::arena arena;
    int *numbers = c_user_count_to(arena.c_arena(), 100);
    CHECK(numbers[99] == 100);
    CHECK(std::string_view(c_user_join(arena.c_arena(), "to", "ft")) == "toft");
    CHECK(c_user_evaluates_once(arena.c_arena()));
    CHECK(c_user_initialised_arena_works());
    arena.make<std::string>("made in C++");
    toft_arena_reset(arena.c_arena());
    CHECK(used_bytes(arena) == 0);
}

TEST_CASE("toft_new evaluates its arguments once in C++ too") {
    toft::arena arena;
    int calls = 0;
    auto count = [&](auto value) { return calls++, value; };
    CHECK(toft_new(count(arena.c_arena()), double) != nullptr);
    CHECK(calls == 1);
    CHECK(toft_new_array(count(arena.c_arena()), wide, count(std::size_t(3))) != nullptr);
    CHECK(calls == 3);
}
