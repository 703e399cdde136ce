// SPDX-License-Identifier: MIT
// <toft/resource.hpp>: Toft behind std::pmr, and std::pmr behind Toft.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory_resource>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <toft/containers.hpp>
#include <toft/resource.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

static_assert(std::is_final_v<toft::arena_resource> && std::is_final_v<toft::reap_resource>);
static_assert(std::is_base_of_v<std::pmr::memory_resource, toft::reap_resource>);

TEST_CASE("resources are equal when their strategy is the same") {
    toft::arena arena, other_arena;
    toft::reap reap;
    toft::arena_resource one(arena), same(arena.c_arena()), other(other_arena);
    toft::reap_resource of_reap(reap), of_same_reap(reap.c_reap());
    CHECK(one == one);
    CHECK(one == same);
    CHECK(one != other);
    CHECK(of_reap == of_same_reap);
    CHECK(one.get_source() == same.get_source());
    toft::current_resource current;
    CHECK(toft::owned_by_current_allocator<int>(current.get_source()) ==
          toft::owned_by_current_allocator<int>());
    CHECK_FALSE(one.is_equal(of_reap));
    CHECK_FALSE(of_reap.is_equal(one));
    CHECK_FALSE(one.is_equal(*std::pmr::new_delete_resource()));
    CHECK_FALSE(std::pmr::new_delete_resource()->is_equal(one));
}

TEST_CASE_TEMPLATE("a resource's source makes an allocator of the same memory", Strategy,
                   toft::arena, toft::reap, toft::pool, toft::current) {
    std::conditional_t<std::is_same_v<Strategy, toft::current>, toft::arena, Strategy> memory;
    toft::strategy_resource<Strategy> resource(memory);
    CHECK(toft::allocator<int, Strategy>(resource.get_source()) ==
          toft::allocator<int, Strategy>(memory));
    toft::vector<int, Strategy> numbers({1, 2, 3}, resource.get_source());
    CHECK(numbers.get_allocator() == toft::allocator<int, Strategy>(memory));
}

TEST_CASE_TEMPLATE("allocate keeps alignments, and throws when there is no memory", Resource,
                   toft::arena_resource, toft::reap_resource) {
    using strategy =
        std::conditional_t<std::is_same_v<Resource, toft::arena_resource>, toft::arena, toft::reap>;
    strategy memory;
    Resource resource(memory);
    std::pmr::memory_resource &any = resource;
    for (std::size_t alignment = 1; alignment <= 65536; alignment *= 2)
        for (std::size_t bytes : {0u, 1u, 24u, 1000u, 100000u}) {
            (void)any.allocate(8, 8); // behind which another 8 bytes would lie misaligned
            void *p = any.allocate(bytes, alignment);
            CHECK(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
            void *q = any.allocate(bytes, alignment);
            CHECK(p != q);
            any.deallocate(q, bytes, alignment);
            any.deallocate(p, bytes, alignment);
        }
    volatile std::size_t enormous = SIZE_MAX / 2;
    CHECK_THROWS_AS((void)any.allocate(enormous), std::bad_alloc);
}

TEST_CASE("a reap's resource hands out again what it was given") {
    if (tracked()) return;
    toft::reap reap;
    toft::reap_resource resource(reap);
    void *p = resource.allocate(40, 8);
    resource.deallocate(p, 40, 8);
    CHECK(resource.allocate(40, 8) == p);
}

TEST_CASE("any memory_resource can be the upstream") {
    counting_upstream counted;
    {
        toft::arena bottom({.upstream = counted.c()});
        toft::arena_resource bottom_resource(bottom);
        toft::resource_upstream upstream(&bottom_resource);
        toft::reap reap({.upstream = upstream.get()});
        toft::reap_resource resource(reap);
        std::pmr::vector<std::pmr::string> texts(&resource);
        for (int i = 0; i < 10000; i++)
            texts.emplace_back("a text that is too long for the string itself");
        CHECK(reap.stats().upstream_allocations > 0);
        CHECK(bottom.stats().used_bytes >= reap.stats().reserved_bytes);
    }
    CHECK(counted.live_blocks() == 0);
}

TEST_CASE("what an upstream resource throws is no memory") {
    toft::resource_upstream upstream(std::pmr::null_memory_resource());
    toft::arena arena({.upstream = upstream.get()});
    CHECK(arena.try_allocate(8) == nullptr);
    CHECK_THROWS_AS((void)arena.allocate(8), std::bad_alloc);
    if (tracked()) return; // objects take more room then
    toft::inline_reap<256> reap({.upstream = upstream.get()});
    CHECK(reap.try_allocate(100) != nullptr);
    CHECK(reap.try_allocate(1000) == nullptr);
}
