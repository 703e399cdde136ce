// SPDX-License-Identifier: MIT
// toft::unique_ptr: arrays that keep their length, and what converts to what.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <toft/toft.hpp>

#include "support/build.hpp"
#include "support/containers.hpp"

using namespace toft_test;

namespace {

// What make_unique is given: each test is run once for each strategy.
template <class Strategy>
struct on {
    using strategy = Strategy;
    Strategy memory;
    template <class Array>
    auto make(std::size_t n) {
        return toft::make_unique<Array, Strategy>(memory, n);
    }
    std::size_t used_bytes() const {
        if constexpr (std::is_same_v<Strategy, toft::pool>)
            return memory.stats().live_bytes;
        else // what surrounds objects for a tool stays behind
            return tracked() ? 0 : memory.stats().used_bytes;
    }
};

// Notes in which order its objects die.
struct numbered {
    static inline int made = 0;
    static inline std::vector<int> died;
    int number = made++;
    numbered() = default;
    numbered(const numbered &) = delete;
    ~numbered() { died.push_back(number); }
};

struct refuses_third : numbered {
    refuses_third() {
        if (number == 2) throw std::runtime_error("refused");
    }
};

struct alignas(256) wide {
    fragile value = 1;
};

struct base {
    virtual ~base() = default;
};
struct derived : base {
    fragile value = 1;
};

} // namespace

TEST_CASE_TEMPLATE("what a constructor's exception leaves of an array is destroyed from its end",
                   Strategy, toft::arena, toft::reap, toft::pool) {
    on<Strategy> place;
    numbered::made = 0;
    numbered::died.clear();
    CHECK_THROWS_AS((void)place.template make<refuses_third[]>(4), std::runtime_error);
    CHECK(numbered::died == std::vector{2, 1, 0});
    CHECK(place.used_bytes() == 0);
}

TEST_CASE_TEMPLATE("an array is destroyed from its end, and given back", Strategy, toft::arena,
                   toft::reap, toft::pool) {
    on<Strategy> place;
    for (int round = 0; round < 3; round++) {
        numbered::made = 0;
        numbered::died.clear();
        const std::size_t before_bytes = place.used_bytes();
        auto four = place.template make<numbered[]>(4);
        CHECK(four.get_deleter().size() == 4);
        CHECK(four[3].number == 3);
        toft::unique_ptr<numbered[], Strategy> other;
        CHECK(other.get_deleter().size() == 0);
        other = std::move(four);
        CHECK(other.get_deleter().size() == 4);
        CHECK(numbered::died.empty());
        other.reset();
        CHECK(numbered::died == std::vector{3, 2, 1, 0});
        if (round != 0) CHECK(place.used_bytes() == before_bytes);
    }
}

TEST_CASE_TEMPLATE("an array whose constructor throws leaves nothing behind", Strategy, toft::arena,
                   toft::reap, toft::pool) {
    struct made_of_fragile {
        fragile value = 1;
    };
    on<Strategy> place;
    place.template make<made_of_fragile[]>(10).reset();
    const std::size_t before_bytes = place.used_bytes();
    const int alive = fragile::alive;
    fragile::until_throw = 5;
    CHECK_THROWS_AS((void)place.template make<made_of_fragile[]>(10), std::runtime_error);
    fragile::until_throw = 0;
    CHECK(fragile::alive == alive);
    CHECK(place.used_bytes() == before_bytes);
    volatile std::size_t enormous = SIZE_MAX / 2;
    CHECK_THROWS_AS((void)place.template make<int[]>(enormous), std::bad_alloc);
    CHECK(place.used_bytes() == before_bytes);
}

TEST_CASE_TEMPLATE("arrays of any length, alignment and constness", Strategy, toft::arena,
                   toft::reap, toft::pool) {
    on<Strategy> place;
    const int alive = fragile::alive;
    {
        auto none = place.template make<wide[]>(0);
        CHECK(none.get_deleter().size() == 0);
        auto several = place.template make<wide[]>(3);
        CHECK(reinterpret_cast<std::uintptr_t>(several.get()) % 256 == 0);
        CHECK(fragile::alive == alive + 3);
        toft::unique_ptr<const wide[], Strategy> unchanging = std::move(several);
        CHECK(unchanging.get_deleter().size() == 3);
        CHECK(unchanging[2].value == 1);
        for (std::size_t n : {1u, 100u, 100000u}) {
            auto numbers = place.template make<int[]>(n);
            CHECK(numbers[0] == 0);
            CHECK(numbers[n - 1] == 0);
            for (std::size_t i = 0; i < n; i++) numbers[i] = 7;
        }
        std::shared_ptr<wide[]> shared = place.template make<wide[]>(2);
        CHECK(fragile::alive == alive + 5);
    }
    CHECK(fragile::alive == alive);
}

// Takes an allocator, and can't be made without.
template <class Strategy>
struct made_with : numbered {
    using allocator_type = toft::allocator<int, Strategy>;
    toft::vector<int, Strategy> numbers;
    explicit made_with(const allocator_type &allocator) : numbers(allocator) {
        if (number == 7) throw std::runtime_error("refused");
    }
};

TEST_CASE_TEMPLATE("an array's elements that take the allocator of its memory get it", Strategy,
                   toft::arena, toft::reap, toft::pool) {
    on<Strategy> place;
    const toft::allocator<int, Strategy> here(place.memory);
    const char *text = "a text that is too long for the string itself";
    auto vectors = place.template make<toft::vector<int, Strategy>[]>(4);
    vectors[3].assign(100, 1);
    CHECK(vectors[3].get_allocator() == here);
    using string = toft::basic_string<char, Strategy>;
    auto pairs = place.template make<std::pair<int, string>[]>(2);
    pairs[1].second = text;
    CHECK(pairs[1].second.get_allocator() == here);
    numbered::made = 0;
    numbered::died.clear();
    place.template make<made_with<Strategy>[]>(3).reset();
    CHECK(numbered::died == std::vector{2, 1, 0});
    numbered::made = 5;
    numbered::died.clear();
    CHECK_THROWS_AS((void)place.template make<made_with<Strategy>[]>(4), std::runtime_error);
    CHECK(numbered::died == std::vector{7, 6, 5});
}

// What is made as a value of its own, too: an aggregate takes no allocator.
struct text_and_line {
    toft::string text;
    int line;
};

TEST_CASE_TEMPLATE("one object that takes the allocator of its memory gets it", Strategy,
                   toft::arena, toft::reap, toft::pool) {
    Strategy memory, other;
    using string = toft::basic_string<char, Strategy>;
    const toft::allocator<char, Strategy> here(memory), there(other);
    const char *text = "a text that is too long for the string itself";
    const string elsewhere(text, there);
    auto check = [&](const auto &expected, const auto &...args) {
        auto made = toft::make_unique<string, Strategy>(memory, args...);
        CHECK(made->get_allocator() == expected);
    };
    check(here, text);
    check(here, elsewhere);
    check(here, 40, 'x');
    check(there, elsewhere, there); // who names one is given no other
    check(there, text, there);
    auto moved = toft::make_unique<string, Strategy>(memory, string(elsewhere));
    CHECK(moved->get_allocator() == here);
    auto pair = toft::make_unique<std::pair<int, string>, Strategy>(memory, 1, elsewhere);
    CHECK(pair->second.get_allocator() == here);
    toft::make_unique<const made_with<Strategy>, Strategy>(memory).reset();
}

TEST_CASE("arenas and pools make what takes their allocator in their own memory") {
    toft::arena arena, other;
    toft::pool pool;
    const char *text = "a text that is too long for the string itself";
    const toft::string elsewhere(text, other);
    CHECK(arena.make<toft::string>(elsewhere)->get_allocator() == toft::allocator<char>(arena));
    CHECK(arena.make<toft::string>(text)->get_allocator() == toft::allocator<char>(arena));
    auto *plain = arena.make<text_and_line>(elsewhere, 1);
    CHECK(plain->text.get_allocator() == toft::allocator<char>(other));
    auto check = [&](const auto &door) {
        using string = toft::basic_string<char, toft::pool>;
        const toft::allocator<char, toft::pool> expected(pool);
        CHECK(door.template make_unique<string>(text)->get_allocator() == expected);
        string *made = door.template make<string>(text);
        CHECK(made->get_allocator() == expected);
        door.destroy(made);
    };
    check(pool);
    check(toft::pool_ref(pool));
    check(toft::pool_handle(pool));
    CHECK(pool.stats().live_bytes == 0);
}

TEST_CASE("a span's elements that take the arena's allocator get it, and are destroyed with it") {
    toft::arena arena;
    std::span<toft::vector<int>> vectors = arena.make_span<toft::vector<int>>(4);
    vectors[3].assign(100, 1);
    CHECK(vectors[3].get_allocator() == toft::allocator<int>(arena));
    numbered::made = 0;
    numbered::died.clear();
    CHECK(arena.make_span<made_with<toft::arena>>(3).size() == 3);
    arena.reset();
    CHECK(numbered::died == std::vector{2, 1, 0});
}

TEST_CASE("every door of a pool makes arrays") {
    toft::pool own;
    auto check = [](const auto &door) {
        auto three = door.template make_unique<wide[]>(3);
        CHECK(three.get_deleter().size() == 3);
        CHECK(reinterpret_cast<std::uintptr_t>(three.get()) % 256 == 0);
    };
    const int alive = fragile::alive;
    check(toft::pool::shared());
    check(own);
    check(toft::pool_ref(own));
    check(toft::pool_handle(own));
    CHECK(fragile::alive == alive);
    CHECK(own.stats().live_bytes == 0);
    CHECK(sizeof(toft::unique_ptr<int[], toft::shared_pool>) == 2 * sizeof(void *));
}

TEST_CASE_TEMPLATE("a pointer to a const object takes one to the object", Strategy, toft::arena,
                   toft::reap, toft::pool) {
    on<Strategy> place;
    const int alive = fragile::alive;
    {
        toft::unique_ptr<const fragile, Strategy> one =
            toft::make_unique<fragile, Strategy>(place.memory, 7);
        CHECK(one->value == 7);
        one = toft::make_unique<fragile, Strategy>(place.memory, 8);
        CHECK(one->value == 8);
    }
    CHECK(fragile::alive == alive);
}

// A base's size isn't that of what is to be freed, and elements don't lie where a base's would.
template <class From, class To>
constexpr bool converts = std::is_convertible_v<toft::unique_ptr<From>, toft::unique_ptr<To>>;
static_assert(converts<int, const int> && converts<int[], const int[]>);
static_assert(!converts<const int, int> && !converts<const int[], int[]>);
static_assert(!converts<derived, base> && !converts<derived[], base[]>);
static_assert(!converts<int, int[]> && !converts<int[], int>);
static_assert(!std::is_constructible_v<toft::deleter<base>, toft::deleter<derived>>);
static_assert(!std::is_constructible_v<toft::deleter<int[]>, toft::deleter<int>>);

TEST_CASE("a shared pointer to a base keeps the deleter of what is derived") {
    toft::pool pool;
    const int alive = fragile::alive;
    std::shared_ptr<base> shared = toft::make_unique<derived, toft::pool>(pool);
    CHECK(fragile::alive == alive + 1);
    shared.reset();
    CHECK(fragile::alive == alive);
    CHECK(pool.stats().live_bytes == 0);
}

template <class T>
concept made_whole = requires(toft::arena &arena, toft::pool &pool) { arena.make<T>(); } ||
                     requires(toft::arena &arena) { arena.make_span<T>(3); } ||
                     requires(toft::pool &pool) { pool.make<T>(); } ||
                     requires(toft::arena &arena) { toft::make_unique<T>(arena); };
static_assert(made_whole<int> && !made_whole<int[4]> && !made_whole<int[]>);
