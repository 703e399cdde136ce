// SPDX-License-Identifier: MIT
// What the model tests share. Each gives a list of ways to build what it checks: the first is
// right, and each of the others has a planted fault, which the checker must find.
//   toft_model_NAME WAY SCHEDULES
// Ends with 0 when all is as it must be.
#ifndef TOFT_TESTS_MODEL_MAIN_HPP
#define TOFT_TESTS_MODEL_MAIN_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <relacy/relacy.hpp>

namespace toft_test {

struct way {
    const char *name;
    bool (*passes)(unsigned long schedules);
};

// Whether the checker finds no mistake in so many random schedules.
template <class Test>
bool passes(unsigned long schedules) {
    rl::test_params params;
    params.iteration_count = static_cast<rl::iteration_t>(schedules);
    params.search_type = rl::random_scheduler_type;
    return rl::simulate<Test>(params);
}

template <std::size_t N>
int run_way(int argc, char **argv, const way (&ways)[N]) {
    if (argc != 3) return 2;
    for (const way &each : ways) {
        if (std::strcmp(argv[1], each.name) != 0) continue;
        bool right = &each == ways;
        if (each.passes(std::strtoul(argv[2], nullptr, 10)) == right) return 0;
        std::fprintf(stderr, "%s: %s\n", each.name,
                     right ? "a schedule goes wrong" : "the planted fault was not found");
        return 1;
    }
    std::fprintf(stderr, "unknown: %s\n", argv[1]);
    return 2;
}

} // namespace toft_test

#endif
