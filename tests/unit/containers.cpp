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

#include "support/build.hpp"
#include "support/counting_upstream.hpp"

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

// Counts its objects; one construction of many throws, if so set.
struct fragile {
    static inline int alive = 0;
    static inline int until_throw = 0;
    int value;

    fragile(int given) : value(given) { begin(); }
    fragile(const fragile &other) : value(other.value) { begin(); }
    fragile(fragile &&other) : value(std::exchange(other.value, -1)) { begin(); } // may throw
    fragile &operator=(const fragile &) = default;
    fragile &operator=(fragile &&) = default;
    ~fragile() { alive--; }
    auto operator<=>(const fragile &other) const { return value <=> other.value; }
    bool operator==(const fragile &other) const { return value == other.value; }

  private:
    static void begin() {
        if (until_throw != 0 && --until_throw == 0) throw std::runtime_error("as asked");
        alive++;
    }
};
struct hash_fragile {
    std::size_t operator()(const fragile &f) const { return static_cast<std::size_t>(f.value); }
};

// How a container's elements are made from a number, and put in.
template <class C>
concept keyed = requires { typename C::key_type; };
template <class C>
concept mapped = requires { typename C::mapped_type; };
template <class C>
concept front_only = !keyed<C> && !requires(C &c) { c.push_back(*c.begin()); };

template <class C>
void put(C &c, int n) {
    if constexpr (mapped<C>)
        c.emplace(n, n);
    else if constexpr (keyed<C>)
        c.emplace(n);
    else if constexpr (front_only<C>)
        c.emplace_front(n);
    else
        c.emplace_back(n);
}

template <class C>
C filled(const typename C::allocator_type &in, int from, int to) {
    C c(in);
    for (int n = from; n != to; n++) put(c, n);
    return c;
}

// Two owners of one strategy, and an allocator for T on either.
template <class Strategy>
struct two {
    counting_upstream upstream;
    Strategy one{{.upstream = upstream.c()}}, other{{.upstream = upstream.c()}};
    template <class C>
    typename C::allocator_type on_one() {
        return one;
    }
    template <class C>
    typename C::allocator_type on_other() {
        return other;
    }
};
template <class Resource, class Strategy>
struct two_resources {
    counting_upstream upstream;
    Strategy one{{.upstream = upstream.c()}}, other{{.upstream = upstream.c()}};
    Resource first{one}, second{other};
    template <class C>
    typename C::allocator_type on_one() {
        return &first;
    }
    template <class C>
    typename C::allocator_type on_other() {
        return &second;
    }
};

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

template <class C>
void check_throws(const typename C::allocator_type &here, const typename C::allocator_type &there) {
    if constexpr (std::is_same_v<typename C::value_type, fragile> || mapped<C>) {
        int alive = fragile::alive;
        for (int nth = 1; nth < 200; nth++) {
            fragile::until_throw = nth;
            try {
                C c = filled<C>(here, 0, 30);
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

TEST_CASE("containers on an arena") { check_all<on_arena, two<toft::arena>>(); }
TEST_CASE("containers on a reap") { check_all<on_reap, two<toft::reap>>(); }
TEST_CASE("containers on an arena through std::pmr") {
    check_all<std::pmr::polymorphic_allocator, two_resources<toft::arena_resource, toft::arena>>();
}
TEST_CASE("containers on a reap through std::pmr") {
    check_all<std::pmr::polymorphic_allocator, two_resources<toft::reap_resource, toft::reap>>();
}

TEST_CASE_TEMPLATE("lists splice and merge, sets trade nodes", Strategy, toft::arena, toft::reap) {
    Strategy memory;
    auto a = filled<toft::list<int, Strategy>>(memory, 0, 10);
    auto b = filled<toft::list<int, Strategy>>(memory, 5, 15);
    const int *front = &b.front();
    a.splice(a.begin(), b, b.begin());
    CHECK(&a.front() == front);
    a.sort();
    a.merge(b);
    CHECK(a.size() == 20);
    CHECK(b.empty());
    a.unique();
    a.reverse();
    CHECK(a.size() == 15);

    auto f = filled<toft::forward_list<int, Strategy>>(memory, 0, 5);
    auto g = filled<toft::forward_list<int, Strategy>>(memory, 0, 5);
    f.splice_after(f.before_begin(), g);
    CHECK(std::distance(f.begin(), f.end()) == 10);

    auto m = filled<toft::map<int, int, Strategy>>(memory, 0, 100);
    auto n = filled<toft::map<int, int, Strategy>>(memory, 50, 150);
    const int *value = &m.at(7);
    auto node = m.extract(7);
    node.key() = 1007;
    n.insert(std::move(node));
    CHECK(&n.at(1007) == value);
    m.merge(n);
    CHECK(m.size() == 150);
    (void)m.extract(20); // the handle frees its node

    auto u = filled<toft::unordered_map<int, int, Strategy>>(memory, 0, 100);
    auto v = filled<toft::unordered_map<int, int, Strategy>>(memory, 50, 150);
    v.insert(u.extract(7));
    u.merge(v);
    CHECK(u.size() + v.size() == 200);
}

TEST_CASE_TEMPLATE("strings", Strategy, toft::arena, toft::reap) {
    using string = toft::basic_string<char, Strategy>;
    Strategy one, other;
    string text("a text that is too long for the string itself", one);
    string copied(text, other), assigned("short", other);
    assigned = text;
    CHECK(assigned == text);
    CHECK(copied.get_allocator() == toft::allocator<char, Strategy>(other));
    string moved = std::move(text);
    moved += copied;
    moved.shrink_to_fit();
    swap(moved, assigned);
    CHECK(assigned.size() == 2 * copied.size());
    CHECK((copied + moved).get_allocator() == toft::allocator<char, Strategy>(other));
}

TEST_CASE_TEMPLATE("elements that take an allocator get the container's", Strategy, toft::arena,
                   toft::reap) {
    using string = toft::basic_string<char, Strategy>;
    using allocator = toft::allocator<char, Strategy>;
    constexpr const char *text = "a text that is too long for the string itself";
    Strategy memory, other;
    toft::vector<string, Strategy> texts(memory);
    texts.emplace_back(text);
    texts.push_back(string(text, other));
    for (const string &each : texts) CHECK(each.get_allocator() == allocator(memory));
    toft::map<string, toft::vector<string, Strategy>, Strategy> index(memory);
    index.try_emplace(string(text, other)).first->second.emplace_back(text);
    index.emplace(std::piecewise_construct, std::forward_as_tuple("key"),
                  std::forward_as_tuple(3u));
    for (const auto &[key, values] : index) {
        CHECK(key.get_allocator() == allocator(memory));
        CHECK(values.get_allocator() == allocator(memory));
        for (const string &each : values) CHECK(each.get_allocator() == allocator(memory));
    }
}

TEST_CASE_TEMPLATE("unique and shared pointers", Strategy, toft::arena, toft::reap) {
    struct alignas(128) wide {
        fragile value = 1;
    };
    int alive = fragile::alive;
    Strategy memory;
    std::size_t used_bytes = 0;
    for (int round = 0; round < 3; round++) {
        auto one = toft::make_unique<fragile, Strategy>(memory, 7);
        CHECK(one->value == 7);
        toft::unique_ptr<fragile, Strategy> other = std::move(one);
        other.reset();
        auto shared = std::allocate_shared<wide>(toft::allocator<wide, Strategy>(memory));
        CHECK(reinterpret_cast<std::uintptr_t>(shared.get()) % 128 == 0);
        std::weak_ptr<wide> weak = shared;
        shared.reset();
        CHECK(weak.expired());
        fragile::until_throw = 1;
        CHECK_THROWS_AS((void)(toft::make_unique<fragile, Strategy>(memory, 7)),
                        std::runtime_error);
        weak.reset();
        if (round == 0) used_bytes = memory.stats().used_bytes;
    }
    CHECK(fragile::alive == alive);
    if (!tracked()) CHECK(memory.stats().used_bytes == used_bytes);
}

TEST_CASE("a reap hands out again what its containers give up") {
    counting_upstream upstream;
    toft::reap reap({.upstream = upstream.c()});
    toft::list<int, toft::reap> queue(reap);
    toft::map<int, int, toft::reap> map(reap);
    std::size_t peak_bytes = 0;
    for (int i = 0; i < 100000; i++) {
        queue.push_back(i);
        map.emplace(i, i);
        if (i >= 100) queue.pop_front(), map.erase(i - 100);
        if (i == 1000) peak_bytes = upstream.peak_bytes;
    }
    if (!tracked()) CHECK(upstream.peak_bytes == peak_bytes);
}

TEST_CASE("what fits an inline reap takes nothing from its upstream") {
    if (tracked()) return; // objects take more room then
    counting_upstream upstream;
    toft::inline_reap<4096> reap({.upstream = upstream.c()});
    for (int round = 0; round < 100; round++) {
        toft::list<int, toft::reap> queue(reap);
        toft::vector<int, toft::reap> numbers(reap);
        for (int i = 0; i < 200; i++) {
            if (i % 2 == 0) numbers.push_back(i);
            queue.push_back(i);
            if (i > 20) queue.pop_front();
        }
    }
    CHECK(upstream.calls == 0);
}
