// SPDX-License-Identifier: MIT
// <toft/region_vector.hpp>: small vectors for what lives in an arena.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <new>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include <toft/arena.hpp>
#include <toft/region_vector.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

namespace {

struct node {
    int id = 0;
    toft::region_vector<node> children;
};

int count(const node &n) {
    int nodes = 1;
    for (const node &child : n.children) nodes += count(child);
    return nodes;
}

void grow(toft::arena &arena, node &n, int levels) {
    if (levels == 0) return;
    for (int i = 0; i < 3; i++) n.children.emplace_back(arena, node{i, {}});
    for (node &child : n.children) grow(arena, child, levels - 1);
}

struct alignas(64) wide {
    int value;
};

struct point {
    int x, y;
};

struct first_base {
    int first;
};
struct second_base {
    int second;
};
struct derived : first_base, second_base {};

template <class T, class... Args>
concept emplaceable = requires(toft::region_vector<T> vector, toft::arena arena, Args... args) {
    vector.emplace_back(arena, args...);
};

} // namespace

// It converts nothing that an initialisation doesn't.
static_assert(emplaceable<node *, node *> && emplaceable<const node *, node *>);
static_assert(!emplaceable<node *, const node *>);
static_assert(!emplaceable<node *, long>);
static_assert(!emplaceable<derived *, second_base *>);
static_assert(emplaceable<second_base *, derived *>);
static_assert(emplaceable<long, int> && emplaceable<int> && !emplaceable<int, int, int>);

static_assert(sizeof(toft::region_vector<int>) <= 16);
static_assert(std::is_trivially_destructible_v<toft::region_vector<node>>);
static_assert(std::is_trivially_copyable_v<node>);
static_assert(!std::is_copy_constructible_v<toft::region_vector<int>>);

TEST_CASE("it grows, and keeps its elements") {
    toft::arena arena;
    toft::region_vector<int> a, b;
    for (int i = 0; i < 1000; i++) {
        CHECK(a.push_back(arena, i) == i);
        b.push_back(arena, -i); // neither stays the arena's last
    }
    CHECK(a.size() == 1000);
    CHECK(std::accumulate(a.begin(), a.end(), 0) == 499500);
    CHECK(std::accumulate(b.begin(), b.end(), 0) == -499500);
    CHECK(a.front() == 0);
    CHECK(a.back() == 999);
    a.pop_back();
    CHECK(a[998] == 998);
    CHECK(a.size() == 999);
    a.clear();
    CHECK(a.empty());
    CHECK(a.capacity() >= 1000);
}

TEST_CASE("alone in its arena it grows in place") {
    toft::arena arena({.chunk_bytes = 1 << 20});
    toft::region_vector<int> v;
    int *first = &v.push_back(arena, 0);
    for (int i = 1; i < 10000; i++) v.push_back(arena, i);
    CHECK(v.data() == first);
    if (!tracked()) CHECK(arena.stats().used_bytes == v.capacity() * sizeof(int));
}

TEST_CASE("append and reserve") {
    toft::arena arena;
    toft::region_vector<int> v;
    const std::array numbers = {1, 2, 3, 4, 5, 6, 7};
    for (int i = 0; i < 10; i++) v.append(arena, numbers);
    v.append(arena, {});
    CHECK(v.capacity() >= v.size());
    CHECK(v.size() == 70);
    CHECK(v[69] == 7);
    v.reserve(arena, 1000);
    int *data = v.data();
    for (int i = 0; i < 930; i++) v.push_back(arena, i);
    CHECK(v.data() == data);
    v.reserve(arena, 10);
    CHECK(v.capacity() == 1000);
    v.append(arena, std::span(numbers).first(1)); // it was full
    CHECK(v.capacity() >= 1001);
}

TEST_CASE("an element may be one of its own") {
    toft::arena arena;
    toft::region_vector<int> v;
    v.push_back(arena, 42);
    for (int i = 0; i < 100; i++) v.push_back(arena, v[0]);
    CHECK(v.back() == 42);
}

TEST_CASE("an aggregate is emplaced from its parts, which may be of the vector") {
    toft::arena arena;
    toft::region_vector<point> v;
    v.emplace_back(arena, 1, 2);
    CHECK(v.emplace_back(arena).y == 0);
    for (int i = 0; i < 100; i++) v.emplace_back(arena, v[0]);
    for (int i = 0; i < 100; i++) v.emplace_back(arena, v[0].x, v[0].y);
    CHECK(v.back().x == 1);
    CHECK(v.back().y == 2);
}

TEST_CASE("a tree of vectors of nodes") {
    toft::arena arena;
    node *root = arena.make<node>();
    grow(arena, *root, 7);
    CHECK(count(*root) == 3280);
    node moved = std::move(*root);
    CHECK(count(moved) == 3280);
    arena.reset();
}

TEST_CASE("alignment and failure") {
    counting_upstream upstream;
    toft::arena arena({.upstream = upstream.c(), .chunk_bytes = 512});
    toft::region_vector<wide> v;
    for (int i = 0; i < 100; i++) v.push_back(arena, wide{i});
    CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 64 == 0);
    upstream.fail_at(1, true);
    while (v.size() < v.capacity()) v.push_back(arena, wide{0});
    (void)arena.try_allocate(8, 8);
    std::uint32_t size = v.size();
    bool threw = false;
    try {
        for (int i = 0; i < 100000; i++) v.push_back(arena, wide{0});
    } catch (const std::bad_alloc &) {
        threw = true;
    }
    CHECK(threw);
    CHECK(v.size() >= size);
    CHECK(v[50].value == 50);
    CHECK_THROWS_AS(v.reserve(arena, SIZE_MAX), std::bad_alloc);
}
