// SPDX-License-Identifier: MIT
// The first objects of a class, which have slots of a class that lends: what malloc asks for.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <vector>

#include <toft/pool.h>

#include "pool_inside.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

constexpr unsigned most = 8; // of a class

void *borrow(toft_pool *pool, std::size_t size) {
    void *object = toft_test_borrow(pool, size);
    if (object != nullptr) std::memset(object, 'x', toft_pool_usable_bytes(object));
    return object;
}

} // namespace

TEST_CASE("a class borrows its first objects from the next power of two") {
    if (tracked()) return; // then each object has its own size
    pool_guard pool;
    const std::map<std::size_t, std::size_t> lent = {
        {8, 32}, {16, 32}, {48, 64}, {100, 128}, {144, 256}, {490, 512}, {1800, 2048}};
    std::vector<void *> objects;
    for (const auto &borrower : lent) {
        std::size_t size = borrower.first;
        CAPTURE(size);
        for (unsigned i = 0; i < most; i++) {
            objects.push_back(borrow(pool, size));
            REQUIRE(objects.back() != nullptr);
            CHECK(toft_pool_usable_bytes(objects.back()) == borrower.second);
        }
        CHECK(borrow(pool, size) == nullptr); // from here on it has slots of its own
    }
    for (std::size_t lender = 32; lender <= 2048; lender *= 2) CHECK(!borrow(pool, lender));
    for (std::size_t size : {2049u, 4096u, 30000u, 40000u, 3000000u}) CHECK(!borrow(pool, size));
    for (void *object : objects) toft_pool_free_any(pool, object);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("a class that has slots at hand borrows none") {
    if (tracked()) return;
    pool_guard pool;
    void *own = toft_pool_alloc(pool, 48);
    CHECK(toft_pool_usable_bytes(own) == 48);
    CHECK(borrow(pool, 48) == nullptr);
    toft_pool_free(pool, own, 48);
    CHECK(borrow(pool, 48) == nullptr);
}

TEST_CASE("what was borrowed and is free again is the lender's") {
    if (tracked()) return;
    pool_guard pool;
    void *lent = borrow(pool, 40);
    REQUIRE(lent != nullptr);
    toft_pool_free_any(pool, lent);
    void *own = toft_pool_alloc(pool, 64);
    CHECK(own == lent);
    toft_pool_free(pool, own, 64);
    CHECK(live_bytes(pool) == 0);
}

TEST_CASE("a borrower without memory gets none, and the pool stays usable") {
    if (tracked()) return;
    toft_pool_options options = {};
    options.limit_bytes = 1;
    pool_guard pool(options);
    for (int i = 0; i < 20; i++) CHECK(borrow(pool, 48) == nullptr);
    CHECK(toft_pool_alloc(pool, 48) == nullptr);
}
