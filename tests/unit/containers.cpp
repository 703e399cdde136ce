// SPDX-License-Identifier: MIT
// Every standard container that takes an allocator, on every strategy and through std::pmr: what
// the standard asks of an allocator and of a memory_resource, seen from the containers' side.
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <memory>
#include <memory_resource>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <toft/toft.hpp>

#include "support/containers.hpp"

using namespace toft_test;

namespace {

// Named requirements, as far as the compiler can check them.
template <class Strategy, class Owner>
constexpr bool is_an_allocator() {
    using A = toft::allocator<int, Strategy>;
    using B = toft::allocator<double, Strategy>;
    using traits = std::allocator_traits<A>;
    static_assert(std::is_same_v<typename traits::value_type, int>);
    static_assert(std::is_same_v<typename traits::pointer, int *>);
    static_assert(std::is_same_v<typename traits::size_type, std::size_t>);
    static_assert(std::is_same_v<typename traits::template rebind_alloc<double>, B>);
    static_assert(std::is_nothrow_copy_constructible_v<A> && std::is_nothrow_copy_assignable_v<A>);
    static_assert(std::is_nothrow_constructible_v<B, const A &>);
    static_assert(std::is_convertible_v<const A &, B>);
    static_assert(std::is_convertible_v<Owner &, A>);
    static_assert(!std::is_convertible_v<Owner, A>, "it would dangle");
    static_assert(std::is_trivially_copyable_v<A>);
    static_assert(std::equality_comparable<A>);
    static_assert(requires(const A &a, const B &b) {
        { a == b } -> std::same_as<bool>;
        a != b;
    });
    static_assert(!traits::propagate_on_container_copy_assignment::value);
    static_assert(traits::propagate_on_container_move_assignment::value);
    static_assert(traits::propagate_on_container_swap::value);
    static_assert(!traits::is_always_equal::value && sizeof(A) == sizeof(void *));
    return true;
}
static_assert(is_an_allocator<toft::arena, toft::arena>());
static_assert(is_an_allocator<toft::reap, toft::reap>());
static_assert(is_an_allocator<toft::arena, toft::inline_arena<64>>());
static_assert(is_an_allocator<toft::reap, toft::inline_reap<64>>());
static_assert(is_an_allocator<toft::reap, toft::reap_scope>());
static_assert(!std::is_convertible_v<toft::arena &, toft::allocator<int, toft::reap>>);
static_assert(!std::is_convertible_v<toft::allocator<int>, toft::allocator<int, toft::reap>>);

// What is constructed at run time forgets, when its turn comes, what was made in it before.
extern toft::reap static_reap;
const int *const made_early = static_reap.make<int>(7);
constinit toft::reap static_reap;

template <class C>
void check_copies(const typename C::allocator_type &here, const typename C::allocator_type &there) {
    const C original = filled<C>(here, 0, 100);
    C same(original, here), elsewhere(original, there);
    CHECK(same == original);
    CHECK(elsewhere == original);
    CHECK(same.get_allocator() == here);
    CHECK(elsewhere.get_allocator() == there);
    C assigned = filled<C>(there, 0, 5);
    assigned = original;
    CHECK(assigned == original);
    CHECK(assigned.get_allocator() == there); // assignment leaves it in its own memory
    assigned = assigned = original;
    CHECK(assigned == original);
}

template <class C>
void check_moves(const typename C::allocator_type &here, const typename C::allocator_type &there) {
    C first = filled<C>(here, 0, 100);
    const C expected(first, here);
    C moved(std::move(first));
    CHECK(moved == expected);
    C elsewhere(std::move(moved), there); // element by element
    CHECK(elsewhere == expected);
    CHECK(elsewhere.get_allocator() == there);
    C back = filled<C>(here, 0, 3);
    back = std::move(elsewhere);
    CHECK(back == expected);
    using propagates = typename std::allocator_traits<
        typename C::allocator_type>::propagate_on_container_move_assignment;
    if (propagates::value) CHECK(back.get_allocator() == there);
    C &self = back;
    back = std::move(self);
    back = C(expected, here); // whatever a self-move left behind can be assigned to
    CHECK(back == expected);
}

template <class C>
void check_swaps(const typename C::allocator_type &here, const typename C::allocator_type &there) {
    C a = filled<C>(here, 0, 100), b = filled<C>(here, 50, 60);
    const C expected_a(a, here), expected_b(b, here);
    a.swap(b);
    CHECK(a == expected_b);
    CHECK(b == expected_a);
    std::swap(a, a);
    CHECK(a == expected_b);
    using propagates =
        typename std::allocator_traits<typename C::allocator_type>::propagate_on_container_swap;
    if constexpr (propagates::value) {
        C c = filled<C>(there, 7, 9);
        const C expected_c(c, there);
        c.swap(a);
        CHECK(a == expected_c);
        CHECK(c == expected_b);
        CHECK(a.get_allocator() == there);
    }
}

// libc++'s deque leaks elements when a copy of it throws, on std::allocator too (seen in 19).
template <class C>
constexpr bool leaks_by_itself = false;
#ifdef _LIBCPP_VERSION
template <class T, class A>
constexpr bool leaks_by_itself<std::deque<T, A>> = true;
#endif

template <class C>
void check_throws(const typename C::allocator_type &here, const typename C::allocator_type &there) {
    if constexpr (std::is_same_v<typename C::value_type, fragile> || mapped<C>) {
        int alive = fragile::alive;
        for (int nth = 1; nth < 200; nth++) {
            fragile::until_throw = nth;
            try {
                C c = filled<C>(here, 0, 30);
                if (leaks_by_itself<C>) continue;
                C copied(c, there);
                c = copied;
                c = C(std::move(copied), here);
            } catch (const std::runtime_error &) {}
            CHECK(fragile::alive == alive);
        }
        fragile::until_throw = 0;
    }
}

// The same random operations on ours and on the standard's own.
template <class C, class Theirs>
void check_churn(const typename C::allocator_type &here) {
    std::minstd_rand random(7);
    C ours(here);
    Theirs theirs;
    for (int i = 0; i < 3000; i++) {
        int n = static_cast<int>(random() % 500);
        if constexpr (front_only<C>) {
            if (n % 3 != 0 || ours.empty())
                put(ours, n), put(theirs, n);
            else
                ours.pop_front(), theirs.pop_front();
        } else {
            if (n % 3 != 0 || ours.empty())
                put(ours, n), put(theirs, n);
            else
                ours.erase(ours.begin()), theirs.erase(theirs.begin());
        }
        if (i % 1000 == 999) ours.clear(), theirs.clear();
    }
    CHECK(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
}

template <class C, class Places>
void check_container() {
    int alive = fragile::alive;
    {
        Places places;
        auto here = places.template on_one<C>();
        auto there = places.template on_other<C>();
        check_copies<C>(here, there);
        check_moves<C>(here, there);
        check_swaps<C>(here, there);
        check_throws<C>(here, there);
    }
    CHECK(fragile::alive == alive);
}

template <template <class> class Allocator, class Places>
void check_all() {
    using entry = std::pair<const fragile, fragile>;
    using less = std::less<fragile>;
    using equal = std::equal_to<fragile>;
    using A = Allocator<fragile>;
    using E = Allocator<entry>;
    check_container<std::vector<fragile, A>, Places>();
    check_container<std::deque<fragile, A>, Places>();
    check_container<std::list<fragile, A>, Places>();
    check_container<std::forward_list<fragile, A>, Places>();
    check_container<std::set<fragile, less, A>, Places>();
    check_container<std::multiset<fragile, less, A>, Places>();
    check_container<std::map<fragile, fragile, less, E>, Places>();
    check_container<std::multimap<fragile, fragile, less, E>, Places>();
    check_container<std::unordered_set<fragile, hash_fragile, equal, A>, Places>();
    check_container<std::unordered_multiset<fragile, hash_fragile, equal, A>, Places>();
    check_container<std::unordered_map<fragile, fragile, hash_fragile, equal, E>, Places>();
    check_container<std::unordered_multimap<fragile, fragile, hash_fragile, equal, E>, Places>();
    check_container<std::vector<bool, Allocator<bool>>, Places>();
    check_container<std::basic_string<char, std::char_traits<char>, Allocator<char>>, Places>();

    Places places;
    check_churn<std::deque<int, Allocator<int>>, std::deque<int>>(
        places.template on_one<std::deque<int, Allocator<int>>>());
    check_churn<std::list<int, Allocator<int>>, std::list<int>>(
        places.template on_one<std::list<int, Allocator<int>>>());
    check_churn<std::forward_list<int, Allocator<int>>, std::forward_list<int>>(
        places.template on_one<std::forward_list<int, Allocator<int>>>());
    check_churn<std::vector<int, Allocator<int>>, std::vector<int>>(
        places.template on_one<std::vector<int, Allocator<int>>>());
    check_churn<std::multiset<int, std::less<int>, Allocator<int>>, std::multiset<int>>(
        places.template on_one<std::multiset<int, std::less<int>, Allocator<int>>>());
}

template <class T>
using on_arena = toft::allocator<T>;
template <class T>
using on_reap = toft::allocator<T, toft::reap>;

} // namespace

// By a literal, a std::string, a std::string_view and a string of another strategy.
template <class Container>
void find_texts(const Container &filled) {
    toft::reap other;
    const toft::basic_string<char, toft::reap> of_other("a", other);
    CHECK(filled.contains("a"));
    CHECK(filled.count(std::string("a")) == 1);
    CHECK(filled.find(std::string_view("a")) == filled.begin());
    CHECK(filled.find(of_other) == filled.begin());
    CHECK(filled.equal_range("a").first == filled.begin());
    CHECK_FALSE(filled.contains("ab"));
}

template <class String, class Strategy>
void find_texts_in(Strategy &memory) {
    toft::map<String, int, Strategy> map(memory);
    toft::multimap<String, int, Strategy> multimap(memory);
    toft::unordered_map<String, int, Strategy> unordered_map(memory);
    toft::unordered_multimap<String, int, Strategy> unordered_multimap(memory);
    const auto fill = [](auto &...maps) { (maps.emplace("a", 1), ...); };
    fill(map, multimap, unordered_map, unordered_multimap);
    toft::set<String, Strategy> set(memory);
    toft::multiset<String, Strategy> multiset(memory);
    toft::unordered_set<String, Strategy> unordered_set(memory);
    toft::unordered_multiset<String, Strategy> unordered_multiset(memory);
    const auto insert = [](auto &...sets) { (sets.emplace("a"), ...); };
    insert(set, multiset, unordered_set, unordered_multiset);
    const auto find = [](const auto &...all) { (find_texts(all), ...); };
    find(map, multimap, unordered_map, unordered_multimap);
    find(set, multiset, unordered_set, unordered_multiset);
    CHECK(map.lower_bound("0") == map.begin());
    CHECK(map[String("a", memory)] == 1);
}

TEST_CASE("keys of text are found by any text") {
    toft::arena arena;
    find_texts_in<toft::string>(arena);
    toft::reap reap;
    find_texts_in<toft::basic_string<char, toft::reap>>(reap);
    toft::pool pool;
    find_texts_in<toft::basic_string<char, toft::pool>>(pool);
    static_assert(std::is_same_v<toft::map<int, int>::key_compare, std::less<int>>);
    toft::map<toft::string, int, toft::arena, std::less<>> own(arena); // as the program says
    own.emplace("a", 1);
    CHECK(own.find("a")->second == 1);
}

TEST_CASE("a static reap is there before the first static object") {
    CHECK(*made_early == 7);
    CHECK(static_reap.stats().used_bytes >= sizeof(int));
}

TEST_CASE("containers on an arena") { check_all<on_arena, two<toft::arena>>(); }
TEST_CASE("containers on a reap") { check_all<on_reap, two<toft::reap>>(); }
TEST_CASE("containers on an arena through std::pmr") {
    check_all<std::pmr::polymorphic_allocator, two_resources<toft::arena_resource, toft::arena>>();
}
TEST_CASE("containers on a reap through std::pmr") {
    check_all<std::pmr::polymorphic_allocator, two_resources<toft::reap_resource, toft::reap>>();
}
