// SPDX-License-Identifier: MIT
// What must hold in a model, which runs without a test framework in the fuzzers.
#ifndef TOFT_TESTS_PROPERTY_REQUIRE_HPP
#define TOFT_TESTS_PROPERTY_REQUIRE_HPP

#include <cstdio>
#include <cstdlib>

namespace toft_test {

#define REQUIRE_TRUE(condition) toft_test::require((condition), #condition, __FILE__, __LINE__)
inline void require(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: %s doesn't hold\n", file, line, what);
    std::abort();
}

} // namespace toft_test

#endif
