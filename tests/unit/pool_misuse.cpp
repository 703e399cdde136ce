// SPDX-License-Identifier: MIT
// What is noted of a broken rule under locks, until it can be told.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>

#include <toft/pool.h>

#include "pool_inside.h"
#include "support/pool_guard.hpp"

using namespace toft_test;

// Else threads that note at once, under the locks of two classes, would mix what they note.
TEST_CASE("where two broken rules are noted, the first is told") {
    constexpr std::array<std::size_t, 2> sizes = {64, 1024};
    pool_guard pool;
    std::array<int, 2> objects;
    for (int round = 0; round < 2; round++) {
        for (std::size_t i : {0U, 1U}) toft_test_note_wrong_size(pool, &objects[i], sizes[i]);
        std::size_t bytes;
        CHECK(toft_test_take_misuse(pool, &bytes) == &objects[0]);
        CHECK(bytes == sizes[0]);
        CHECK(toft_test_take_misuse(pool, &bytes) == nullptr);
    }
}
