// SPDX-License-Identifier: MIT
// Hooks of other libraries at their corners, called as those libraries do; the examples call them
// by the libraries themselves.
#include <doctest/doctest.h>

#include <climits>
#include <cstddef>

#include <toft/adapt/lua.h>
#include <toft/adapt/rapidjson.hpp>
#include <toft/adapt/sqlite.h>
#include <toft/adapt/tree_sitter.h>

#include "support/arena_guard.hpp"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

// A block of a state is made, grows, and is freed by a size of 0: the next one lies where it did.
void check_lua(void *(*alloc)(void *, void *, std::size_t, std::size_t), void *context) {
    CHECK(alloc(context, nullptr, 5, 0) == nullptr); // the 5 is a type of Lua's
    void *block = alloc(context, nullptr, 5, 20);
    REQUIRE(block != nullptr);
    block = alloc(context, block, 20, 24);
    CHECK(alloc(context, block, 24, 0) == nullptr);
    if (!tracked()) CHECK(alloc(context, nullptr, 5, 24) == block);
}

// Nothing is made for a size of 0, and a size of 0 frees.
template <class Allocator>
void check_rapidjson(Allocator &allocator) {
    CHECK(allocator.Malloc(0) == nullptr);
    const std::size_t before = live_bytes(toft_pool_shared());
    void *object = allocator.Malloc(100);
    CHECK(object != nullptr);
    CHECK(live_bytes(toft_pool_shared()) > before);
    CHECK(allocator.Realloc(object, 100, 0) == nullptr);
    CHECK(allocator.Realloc(nullptr, 0, 0) == nullptr);
    CHECK(live_bytes(toft_pool_shared()) == before);
}

} // namespace

TEST_CASE("lua's hooks make nothing of 0 bytes, and free what becomes that") {
    arena_guard arena;
    reap_guard reap;
    pool_guard pool;
    check_lua(toft_lua_alloc, pool);
    check_lua(toft_lua_alloc_in_reap, reap.get());
    check_lua(toft_lua_alloc_in_arena, arena.get());
}

TEST_CASE("rapidjson's allocators make nothing of 0 bytes, and free what becomes that") {
    toft::rapidjson_pool_allocator pool;
    toft::rapidjson_current_allocator current;
    check_rapidjson(pool);
    check_rapidjson(current);
    toft::rapidjson_arena_allocator arena;
    CHECK(arena.Malloc(0) == nullptr);
    CHECK(arena.Realloc(arena.Malloc(10), 10, 0) == nullptr);
}

TEST_CASE("sqlite's sizes are ints: the largest stays as it is") {
    CHECK(toft_sqlite_roundup(1) == 8);
    CHECK(toft_sqlite_roundup(INT_MAX - 7) == INT_MAX - 7);
    for (int size : {INT_MAX - 6, INT_MAX}) CHECK(toft_sqlite_roundup(size) == size);
    void *object = toft_pool_alloc(toft_pool_shared(), std::size_t{9} << 28);
    if (object == nullptr) return; // the system has not as much
    CHECK(toft_sqlite_size(object) == INT_MAX);
    toft_sqlite_free(object);
}

TEST_CASE("tree-sitter's hooks take a resize to 0 bytes for a free") {
    CHECK(toft_tree_sitter_realloc(toft_tree_sitter_malloc(10), 0) == nullptr);
    CHECK(toft_tree_sitter_current_realloc(toft_tree_sitter_current_malloc(10), 0) == nullptr);
}
