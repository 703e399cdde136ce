// SPDX-License-Identifier: MIT
// Millions of random operations against the model. TOFT_TEST_SEED runs one sequence again,
// TOFT_TEST_LONG a hundred times as many.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "property/model.hpp"
#include "support/build.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t sequence_operations = 2000;
std::uint64_t current_seed;

extern "C" void say_seed(int signal_number) {
    std::fprintf(stderr, "to see it again: TOFT_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(current_seed));
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

void run(std::uint64_t seed) {
    current_seed = seed;
    choices choice(seed);
    CHECK(run_sequence(choice, sequence_operations) == sequence_operations);
}

} // namespace

TEST_CASE("random sequences agree with the model") {
    auto previous = std::signal(SIGABRT, say_seed);
    if (const char *given = std::getenv("TOFT_TEST_SEED")) {
        run(std::strtoull(given, nullptr, 10));
    } else {
        // The same in each run, so that a failure is the change's; new ones in the long run.
        bool is_long = std::getenv("TOFT_TEST_LONG") != nullptr;
        std::uint64_t first = is_long ? std::random_device()() : 1;
        std::uint64_t sequences = (fast_build ? 10000u : 150u) * (is_long ? 100u : 1u);
        for (std::uint64_t i = 0; i < sequences; i++) run(first + i);
    }
    std::signal(SIGABRT, previous);
}
