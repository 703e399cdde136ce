// SPDX-License-Identifier: MIT
// toft::pool and its doors: objects, unique pointers, containers, handles.
#include <doctest/doctest.h>

#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <toft/containers.hpp>
#include <toft/current.hpp>
#include <toft/pool.hpp>
#include <toft/resource.hpp>

namespace {

struct counted {
    static inline int live = 0;
    int value;
    explicit counted(int v) : value(v) { live++; }
    counted(const counted &other) : value(other.value) { live++; }
    ~counted() { live--; }
};

struct throwing {
    char bytes[100];
    throwing() { throw std::runtime_error("no"); }
};

struct alignas(256) wide {
    char bytes[300];
};

} // namespace

TEST_CASE("make and destroy, through every door") {
    toft::pool own;
    auto check = [](const auto &door) {
        counted *one = door.template make<counted>(7);
        CHECK(one->value == 7);
        CHECK(counted::live == 1);
        door.destroy(one);
        door.destroy(static_cast<counted *>(nullptr));
        const auto *unchanging = door.template make<const counted>(7);
        door.destroy(unchanging);
        CHECK(counted::live == 0);
        auto *w = door.template make<wide>();
        CHECK(reinterpret_cast<std::uintptr_t>(w) % 256 == 0);
        door.destroy(w);
        {
            auto owned = door.template make_unique<counted>(8);
            CHECK(owned->value == 8);
            auto moved = std::move(owned);
            CHECK(counted::live == 1);
        }
        CHECK(counted::live == 0);
        void *p = door.allocate(1000);
        door.deallocate(p, 1000);
        p = door.try_allocate(1000, 64);
        door.deallocate(p, 1000, 64);
        CHECK_THROWS_AS((void)door.allocate(static_cast<std::size_t>(PTRDIFF_MAX) + 1),
                        std::bad_alloc);
        CHECK(door.try_allocate(static_cast<std::size_t>(PTRDIFF_MAX) + 1) == nullptr);
    };
    check(toft::pool::shared());
    check(own);
    check(toft::pool_ref(own));
    check(toft::pool_handle(own));
    check(toft::pool_handle(toft::pool::shared()));
    CHECK(own.stats().live_bytes == 0);
}

TEST_CASE("pool: a constructor that throws leaves nothing behind") {
    toft::pool own;
    CHECK_THROWS_AS((void)own.make<throwing>(), std::runtime_error);
    CHECK(own.stats().live_bytes == 0);
}

TEST_CASE("doors are as small as they can be") {
    CHECK(sizeof(toft::unique_ptr<int, toft::shared_pool>) == sizeof(int *));
    CHECK(std::is_empty_v<toft::pool_allocator<int>>);
    CHECK(sizeof(std::list<int, toft::pool_allocator<int>>) == sizeof(std::list<int>));
    CHECK(sizeof(toft::pool) == sizeof(void *));
}

// A pool_ref that refers to a pool as an object could be assigned to, and its pool freed twice.
static_assert(!std::is_base_of_v<toft::pool_ref, toft::pool>);
static_assert(!std::is_convertible_v<toft::pool &, toft::pool_ref &>);
static_assert(std::is_convertible_v<toft::pool &, toft::pool_ref>);
static_assert(std::is_convertible_v<const toft::pool &, toft::pool_ref>);

// What keeps a pool takes no temporary one; a pool that someone else owns may be named by one.
template <class Keeper>
constexpr bool takes_lasting_pools_only = !std::is_constructible_v<Keeper, toft::pool> &&
                                          !std::is_constructible_v<Keeper, const toft::pool> &&
                                          std::is_constructible_v<Keeper, toft::pool &> &&
                                          std::is_constructible_v<Keeper, const toft::pool &> &&
                                          std::is_constructible_v<Keeper, toft::pool_ref> &&
                                          std::is_constructible_v<Keeper, toft::shared_pool> &&
                                          std::is_constructible_v<Keeper, toft::pool_handle> &&
                                          std::is_constructible_v<Keeper, toft_pool *>;
static_assert(takes_lasting_pools_only<toft::pool_ref>);
static_assert(takes_lasting_pools_only<toft::pool_handle>);
static_assert(takes_lasting_pools_only<toft::pool_resource>);
static_assert(takes_lasting_pools_only<toft::allocator<int, toft::pool>>);
static_assert(takes_lasting_pools_only<toft::list<int, toft::pool>>);
static_assert(takes_lasting_pools_only<toft::current_allocator<int>>);
static_assert(takes_lasting_pools_only<toft::list<int, toft::current>>);
static_assert(takes_lasting_pools_only<toft::use>);
static_assert(!std::is_copy_constructible_v<toft::pool> && !std::is_copy_assignable_v<toft::pool>);

TEST_CASE("a pool_ref names a pool, and assigning it changes no pool") {
    toft::pool one, other;
    toft::pool_ref ref = one;
    CHECK(ref == one);
    CHECK(one == ref);
    CHECK(ref != other);
    CHECK(toft::pool_ref(toft::pool::shared()) == toft::pool::shared());
    toft_pool *before = one.c_pool();
    ref = other;
    CHECK(ref.c_pool() == other.c_pool());
    CHECK(one.c_pool() == before);
    auto *n = ref.make<int>(5);
    other.destroy(n);
    CHECK(other.stats().live_bytes == 0);
}

// As nlohmann::basic_json has it. Not all compilers take a template with a second parameter that
// has a default.
template <template <class> class Allocator>
struct of_allocators {
    std::vector<int, Allocator<int>> numbers;
};

TEST_CASE("pool_allocator is a template of one parameter") {
    of_allocators<toft::pool_allocator> taken{{1, 2, 3}};
    CHECK(taken.numbers.size() == 3);
}

TEST_CASE("a pool moves, and its objects stay") {
    toft::pool first;
    auto *n = first.make<int>(5);
    toft::pool second(std::move(first));
    CHECK(*n == 5);
    toft::pool third;
    third = std::move(second);
    CHECK(*n == 5);
    third.destroy(n);
    CHECK(third.stats().live_bytes == 0);
    first = toft::pool(); // what was moved from may be assigned to
    first.destroy(first.make<int>(6));
}

TEST_CASE("a pool that is assigned to itself stays as it is") {
    toft::pool own;
    void *object = own.allocate(100);
    toft::pool &self = own;
    own = std::move(self);
    own.deallocate(object, 100);
    CHECK(own.stats().live_bytes == 0);
}

TEST_CASE("containers over the shared pool and over one's own") {
    toft::pool own;
    auto fill = [](auto &list, auto &map, auto &vector) {
        for (int i = 0; i < 1000; i++) {
            list.push_back(i);
            map[i] = "a string that is long enough to be allocated";
            vector.push_back(i);
        }
        for (int i = 0; i < 1000; i += 2) map.erase(i);
        CHECK(map.size() == 500);
        CHECK(list.back() == 999);
        CHECK(vector[500] == 500);
    };
    using pair = std::pair<const int, std::string>;
    {
        std::list<int, toft::pool_allocator<int>> list;
        std::map<int, std::string, std::less<>, toft::pool_allocator<pair>> map;
        std::vector<int, toft::pool_allocator<int>> vector;
        fill(list, map, vector);
        auto moved = std::move(list);
        CHECK(moved.size() == 1000);
    }
    using own_ints = toft::allocator<int, toft::pool>;
    {
        toft::list<int, toft::pool> list(own);
        toft::unordered_map<int, std::string, toft::pool> map(own);
        toft::vector<int, toft::pool> vector(own);
        fill(list, map, vector);
        CHECK(own.stats().live_bytes > 0);
        toft::pool other;
        CHECK(own_ints(own) == own_ints(own));
        CHECK(own_ints(own) != own_ints(other));
        auto copy = list;
        CHECK(copy.size() == 1000);
    }
    CHECK(own.stats().live_bytes == 0);
    own_ints allocator(own);
    CHECK_THROWS_AS((void)allocator.allocate(SIZE_MAX / 2), std::bad_alloc);
}

TEST_CASE("an object may die on another thread than it was made on") {
    toft::pool own;
    auto object = own.make_unique<counted>(3);
    std::thread([object = std::move(object)]() mutable { object.reset(); }).join();
    CHECK(counted::live == 0);
    CHECK(own.stats().live_bytes == 0);
}

TEST_CASE("a memory_resource over a pool, for any thread") {
    toft::pool own;
    toft::pool_resource resource(own);
    CHECK(resource == toft::pool_resource(own.c_pool()));
    CHECK_FALSE(resource == toft::pool_resource(toft::pool::shared()));
    {
        std::pmr::list<std::pmr::string> names(&resource);
        for (int i = 0; i < 100; i++) names.emplace_back(200, 'x');
        std::thread([&] { names.pop_front(); }).join();
        CHECK(own.stats().live_bytes > 99 * 200);
    }
    CHECK(own.stats().live_bytes == 0);
}
