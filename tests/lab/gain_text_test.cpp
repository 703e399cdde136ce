// SPDX-License-Identifier: MIT
// What a change gains, in words.
#include "advice/gain_text.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("memory in words: an end that is known is told, and an unknown time leaves none") {
    CHECK(memory({0, 8.4}) == ", peak memory up to 8.4 % less");
    CHECK(memory({-36, 0}) == ", peak memory up to 36 % more");
    CHECK(memory({-1, 2}) == ", peak memory 1.0 % more to 2.0 % less");
    CHECK(memory({-.01, .04}).empty());
    CHECK(memory({-1379, 0}) == ", peak memory up to 1,379 % more");
    CHECK(change_of_peak({-.01, .04}) == "as before");
    // What runs of the program have measured:
    CHECK(memory({1.3, 1.3}) == ", peak memory 1.3 % less");
    CHECK(memory({-20, -20}) == ", peak memory 20 % more");
    CHECK(memory({2, 30}) == ", peak memory 2.0 to 30 % less");
    CHECK(memory({9.96, 10.4}) == ", peak memory 10 % less");
    CHECK(memory({-9.96, 9.94}) == ", peak memory 10 % more to 9.9 % less");
    CHECK(memory({-30, -2}) == ", peak memory 2.0 to 30 % more");
}
