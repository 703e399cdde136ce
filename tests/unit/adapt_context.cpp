// SPDX-License-Identifier: MIT
// Hooks that hand a context on: a pool of one's own behind both of their usual shapes.
#include <doctest/doctest.h>

#include <cstring>

#include <toft/adapt/context.h>

#include "support/pool_guard.hpp"

using namespace toft_test;

TEST_CASE("context: allocated, resized and freed, the context first") {
    pool_guard pool;
    void *const context = static_cast<toft_pool *>(pool);
    auto *text = static_cast<char *>(toft_context_alloc(context, 6));
    REQUIRE(text != nullptr);
    std::memcpy(text, "hello", 6);
    text = static_cast<char *>(toft_context_resize(context, text, 100000));
    REQUIRE(text != nullptr);
    CHECK(std::strcmp(text, "hello") == 0);
    CHECK(toft_context_resize(context, text, 0) == nullptr);
    toft_context_free(context, toft_context_resize(context, nullptr, 10));
    toft_context_free(context, nullptr);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("context: one function for all three, the context last") {
    pool_guard pool;
    void *const context = static_cast<toft_pool *>(pool);
    CHECK(toft_context_reallocate(nullptr, 0, context) == nullptr);
    void *object = toft_context_reallocate(nullptr, 40, context);
    REQUIRE(object != nullptr);
    CHECK(live_bytes(pool) >= 40);
    object = toft_context_reallocate(object, 400, context);
    REQUIRE(object != nullptr);
    CHECK(toft_context_reallocate(object, 0, context) == nullptr);
    CHECK(live_bytes(pool) == 0);
}
