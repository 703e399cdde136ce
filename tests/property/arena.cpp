// SPDX-License-Identifier: MIT
// Millions of random operations on arenas agree with the model.
#include <doctest/doctest.h>

#include "property/arena_model.hpp"
#include "property/seeds.hpp"
#include "support/build.hpp"

using namespace toft_test;

static constexpr std::size_t sequence_operations = 2000;

TEST_CASE("random sequences agree with the model") {
    run_seeds(fast_build ? 10000 : 150, 100, [](std::uint64_t seed) {
        choices choice(seed);
        CHECK(run_arena_sequence(choice, sequence_operations) == sequence_operations);
    });
}
