// SPDX-License-Identifier: MIT
// Millions of random operations on reaps agree with the model.
#include <doctest/doctest.h>

#include "property/reap_model.hpp"
#include "property/seeds.hpp"
#include "support/build.hpp"

using namespace toft_test;

static constexpr std::size_t sequence_operations = 2000;

TEST_CASE("reap: random sequences agree with the model") {
    run_seeds(fast_build ? 3000 : 100, 100, [](std::uint64_t seed) {
        choices choice(seed);
        CHECK(run_reap_sequence(choice, sequence_operations) == sequence_operations);
    });
}

TEST_CASE("reap: large random sequences agree with the model") {
    std::uint64_t sequences = 0, ordered = 0;
    run_seeds(fast_build ? 40 : 2, 20, [&](std::uint64_t seed) {
        choices choice(seed);
        sequences++;
        ordered += run_large_reap_sequence(choice, 16);
    });
    if (!tracked() && fast_build) CHECK(ordered >= sequences / 3);
}
