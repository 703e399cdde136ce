// SPDX-License-Identifier: MIT
// Runs a model's sequences, each from a seed. TOFT_TEST_SEED runs one of them again,
// TOFT_TEST_LONG many more, with new seeds.
#ifndef TOFT_TESTS_PROPERTY_SEEDS_HPP
#define TOFT_TESTS_PROPERTY_SEEDS_HPP

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace toft_test {

inline std::uint64_t current_seed;

extern "C" inline void say_seed(int signal_number) {
    std::fprintf(stderr, "to see it again: TOFT_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(current_seed));
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
}

// Calls run(seed) for each; long_factor times as often in the long run.
template <class Run>
void run_seeds(std::uint64_t count, std::uint64_t long_factor, Run run) {
    auto previous = std::signal(SIGABRT, say_seed);
    if (const char *given = std::getenv("TOFT_TEST_SEED")) {
        current_seed = std::strtoull(given, nullptr, 10);
        run(current_seed);
    } else {
        // The same in each run, so that a failure is the change's; new ones in the long run.
        const bool is_long = std::getenv("TOFT_TEST_LONG") != nullptr;
        const std::uint64_t first = is_long ? std::random_device()() : 1;
        if (is_long) count *= long_factor;
        for (std::uint64_t i = 0; i < count; i++) run(current_seed = first + i);
    }
    std::signal(SIGABRT, previous);
}

} // namespace toft_test

#endif
