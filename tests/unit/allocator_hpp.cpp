// SPDX-License-Identifier: MIT
// <toft/allocator.hpp>: the standard containers over an arena.
#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <scoped_allocator>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <toft/toft.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

namespace {

template <class T>
using vector = std::vector<T, toft::allocator<T>>;
using string = std::basic_string<char, std::char_traits<char>, toft::allocator<char>>;
template <class K, class V>
using map = std::map<K, V, std::less<K>, toft::allocator<std::pair<const K, V>>>;
template <class K, class V>
using hash_map = std::unordered_map<K, V, std::hash<K>, std::equal_to<K>,
                                    toft::allocator<std::pair<const K, V>>>;

using traits = std::allocator_traits<toft::allocator<int>>;
static_assert(sizeof(toft::allocator<int>) == sizeof(void *));
static_assert(std::is_trivially_copyable_v<toft::allocator<int>>);
static_assert(!traits::propagate_on_container_copy_assignment::value);
static_assert(traits::propagate_on_container_move_assignment::value);
static_assert(traits::propagate_on_container_swap::value);
static_assert(!traits::is_always_equal::value);
static_assert(std::is_same_v<traits::rebind_alloc<double>, toft::allocator<double>>);
static_assert(std::is_same_v<traits::pointer, int *>);
static_assert(std::is_convertible_v<toft::arena &, toft::allocator<int>>);
static_assert(std::is_convertible_v<toft::scope &, toft::allocator<int>>);
static_assert(std::is_convertible_v<toft::inline_arena<8> &, toft::allocator<int>>);
static_assert(std::is_convertible_v<toft_arena *, toft::allocator<int>>);
static_assert(std::is_convertible_v<toft::allocator<char>, toft::allocator<int>>);
static_assert(!std::is_convertible_v<toft::arena, toft::allocator<int>>, "it would dangle");
static_assert(!std::constructible_from<toft::allocator<int>, std::nullptr_t>);
static_assert(!std::constructible_from<toft::vector<int>, std::nullptr_t>);
static_assert(!std::constructible_from<toft::allocator<int, toft::reap>, std::nullptr_t>);
static_assert(!std::constructible_from<toft::allocator<int, toft::pool>, std::nullptr_t>);

// An allocator of a user's own, made from ours.
template <class T, class Strategy = toft::arena>
struct derived : toft::allocator<T, Strategy> {
    using toft::allocator<T, Strategy>::allocator;
    static inline int calls = 0;
    T *allocate(std::size_t n) {
        calls++;
        return toft::allocator<T, Strategy>::allocate(n);
    }
};
static_assert(
    std::is_same_v<std::allocator_traits<derived<int>>::rebind_alloc<double>, derived<double>>);

// The same random operations on a container over an arena and on the standard one.
template <class Ours, class Theirs, class Operation>
void expect_same(Ours ours, Theirs theirs, Operation operation) {
    std::minstd_rand random(11);
    for (int i = 0; i < 3000; i++) {
        auto choice = static_cast<int>(random() % 1000);
        operation(ours, choice);
        operation(theirs, choice);
    }
    CHECK(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
}

} // namespace

// A namespace whose functions take anything, under names that Toft uses inside.
namespace greedy {

int calls = 0;
int run_later(auto &&...) { return calls++; }
int destroy_backwards(auto &&...) { return calls++; }
int takes_pair(auto &&...) { return calls++; }
int memory_of(auto &&...) { return calls++; }
template <class>
int part_with(auto &&...) {
    return calls++;
}
template <class T>
T *construct(auto &&...) {
    return calls++, nullptr;
}
template <class T>
T *construct_or_give(auto &&...) {
    return calls++, nullptr;
}
template <class A, class B>
bool operator==(const A &, const B &) {
    return calls++, true;
}

struct config {
    int value;
};
struct widget {
    static inline int alive = 0;
    int value;
    widget(config given = {1}) : value(given.value) { alive++; }
    widget(const widget &other) : value(other.value) { alive++; }
    ~widget() { alive--; }
};

} // namespace greedy

TEST_CASE("a function of a user's namespace isn't called in place of Toft's own") {
    {
        toft::arena arena;
        const greedy::config two{2};
        CHECK(arena.make<greedy::widget>(two)->value == 2);
        CHECK(arena.make<greedy::config>(two)->value == 2);
        CHECK(arena.make_span<greedy::widget>(3).size() == 3);
        CHECK(toft::make_unique<greedy::widget[]>(arena, 3)[2].value == 1);
        CHECK(toft::make_unique<greedy::widget>(arena, two)->value == 2);
        auto *pooled = toft::pool::shared().make<greedy::widget>(two);
        toft::pool::shared().destroy(pooled);
        vector<std::tuple<greedy::widget, string>> tuples(arena);
        tuples.emplace_back(two, "text");
        tuples.emplace_back(std::pair<greedy::config, const char *>(two, "text"));
        map<int, std::pair<greedy::widget, string>> pairs(arena);
        pairs[1].first.value = 2;
        pairs.insert(*pairs.begin());
        CHECK(std::get<0>(tuples[1]).value == 2);
        CHECK(greedy::widget::alive == 7);
    }
    CHECK(greedy::widget::alive == 0);
    CHECK(greedy::calls == 0);
}

TEST_CASE("containers of what compares with anything don't take each other's memory") {
    toft::arena one, other;
    using allocator = toft::allocator<greedy::config>;
    vector<greedy::config> from({{1}, {2}}, one);
    const greedy::config *first = from.data();
    vector<greedy::config> to(std::move(from), allocator(other));
    CHECK(to.data() != first);
    CHECK(to[1].value == 2);
    const bool mixed = allocator(one) == toft::allocator<char>(other);
    CHECK_FALSE(mixed);
    const toft::source<toft::arena> source(one);
    const bool same = allocator(one) == source && source == allocator(one);
    CHECK(same);
    CHECK(greedy::calls == 0);
}

TEST_CASE("allocators are equal when their arena is the same") {
    toft::arena one, other;
    toft::allocator<int> ints(one);
    toft::allocator<double> doubles(ints);
    CHECK(ints == doubles);
    CHECK(ints != toft::allocator<int>(other));
    CHECK(ints == toft::allocator<int>(one.c_arena()));
    CHECK(ints.c_arena() == one.c_arena());
}

TEST_CASE("deallocate gives back the last block and no other") {
    toft::arena arena;
    toft::allocator<long> allocator(arena);
    std::size_t before_bytes = arena.stats().used_bytes;
    long *first = allocator.allocate(10);
    long *second = allocator.allocate(10);
    std::size_t both_bytes = arena.stats().used_bytes;
    allocator.deallocate(first, 10);
    CHECK(arena.stats().used_bytes == both_bytes);
    allocator.deallocate(second, 10);
    CHECK(arena.stats().used_bytes < both_bytes);
    CHECK(arena.stats().used_bytes > before_bytes);
    volatile std::size_t enormous = SIZE_MAX / 8;
    CHECK_THROWS_AS((void)allocator.allocate(enormous), std::bad_alloc);
    CHECK_THROWS_AS((void)allocator.allocate(enormous + 1), std::bad_alloc);
}

TEST_CASE("containers behave as with the standard allocator") {
    toft::arena arena;
    auto push_or_pop = [](auto &c, int choice) {
        if (choice % 3 != 0 || c.empty())
            c.insert(c.begin(), choice);
        else
            c.erase(c.begin());
    };
    expect_same(vector<int>(arena), std::vector<int>(), push_or_pop);
    expect_same(std::deque<int, toft::allocator<int>>(arena), std::deque<int>(), push_or_pop);
    expect_same(std::list<int, toft::allocator<int>>(arena), std::list<int>(), push_or_pop);
    expect_same(std::forward_list<int, toft::allocator<int>>(arena), std::forward_list<int>(),
                [](auto &c, int choice) {
                    if (choice % 3 != 0 || c.empty())
                        c.push_front(choice);
                    else
                        c.pop_front();
                });
    expect_same(map<int, int>(arena), std::map<int, int>(), [](auto &c, int choice) {
        if (choice % 3 != 0)
            c[choice / 3]++;
        else
            c.erase(choice / 3);
    });
    expect_same(std::multiset<int, std::less<int>, toft::allocator<int>>(arena),
                std::multiset<int>(), [](auto &c, int choice) {
                    if (choice % 3 != 0)
                        c.insert(choice / 9);
                    else
                        c.erase(choice / 9);
                });
    expect_same(string(arena), std::string(), [](auto &c, int choice) {
        c += std::to_string(choice).c_str();
        if (choice % 7 == 0) c.shrink_to_fit();
        if (choice % 50 == 0) c.clear();
    });
    hash_map<int, int> ours(arena);
    std::unordered_map<int, int> theirs;
    for (int i = 0; i < 5000; i++) ours[i * 7919 % 1000] += i, theirs[i * 7919 % 1000] += i;
    CHECK(std::unordered_map<int, int>(ours.begin(), ours.end()) == theirs);
}

TEST_CASE("containers trade nodes, copy and move as the allocator's traits say") {
    toft::arena one, other;
    map<int, string> a(one);
    for (int i = 0; i < 100; i++) a.emplace(i, string(std::to_string(i).c_str(), one));
    map<int, string> neighbour(one);
    neighbour.insert(a.extract(50));
    neighbour.merge(a);
    a.merge(neighbour);
    CHECK(a.size() == 100);
    map<int, string> copied(a, toft::allocator<int>(other));
    CHECK(copied.get_allocator() == toft::allocator<int>(other));
    CHECK(copied == a);
    const string *address = &a.at(7);
    map<int, string> moved(other);
    moved = std::move(a);
    CHECK(moved.get_allocator() == toft::allocator<int>(one));
    CHECK(&moved.at(7) == address);
    swap(moved, copied);
    CHECK(&copied.at(7) == address);
    vector<int> assigned(other), source({1, 2, 3}, one);
    assigned = source;
    CHECK(assigned.get_allocator() == toft::allocator<int>(other));
    CHECK(assigned == source);
}

TEST_CASE("nested containers get the arena with scoped_allocator_adaptor") {
    counting_upstream upstream;
    {
        toft::arena arena({.upstream = upstream.c()});
        using text = string;
        using texts = std::vector<text, std::scoped_allocator_adaptor<toft::allocator<text>>>;
        texts all(arena);
        for (int i = 0; i < 100; i++) all.emplace_back("long enough to need memory of its own");
        for (const text &each : all) CHECK(each.get_allocator().c_arena() == arena.c_arena());
    }
    CHECK(upstream.live_blocks() == 0);
}

TEST_CASE("a vector that is alone in its arena grows without waste by its last block") {
    toft::arena arena;
    std::size_t used_bytes = 0;
    for (int round = 0; round < 1000; round++) {
        {
            vector<int> numbers(arena);
            numbers.reserve(100);
            numbers.assign(100, round);
        }
        if (round == 0) used_bytes = arena.stats().used_bytes;
    }
    CHECK(arena.stats().used_bytes == used_bytes);
}

TEST_CASE("containers rebind a derived allocator to itself") {
    toft::arena arena;
    const int calls = derived<int>::calls;
    std::vector<int, derived<int>> numbers(10, derived<int>(arena));
    CHECK(derived<int>::calls > calls);
    std::map<int, int, std::less<>, derived<std::pair<const int, int>>> map(
        derived<std::pair<const int, int>>{arena});
    for (int i = 0; i < 100; i++) map[i] = i;
    CHECK(derived<std::pair<const int, int>>::calls == 0); // its nodes are of another type
    using node_allocator = std::allocator_traits<decltype(map.get_allocator())>;
    static_assert(std::is_same_v<node_allocator::rebind_alloc<long>, derived<long>>);
    std::list<int, derived<int>> list(numbers.begin(), numbers.end(), numbers.get_allocator());
    CHECK(list.get_allocator() == numbers.get_allocator());
    CHECK(map.size() == 100);
}

TEST_CASE("shared pointers and over-aligned elements") {
    struct alignas(128) wide {
        int value;
    };
    toft::arena arena;
    auto shared = std::allocate_shared<wide>(toft::allocator<wide>(arena));
    CHECK(reinterpret_cast<std::uintptr_t>(shared.get()) % 128 == 0);
    vector<wide> several(10, arena);
    CHECK(reinterpret_cast<std::uintptr_t>(several.data()) % 128 == 0);
}
