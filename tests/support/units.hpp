// SPDX-License-Identifier: MIT
#ifndef TOFT_TESTS_SUPPORT_UNITS_HPP
#define TOFT_TESTS_SUPPORT_UNITS_HPP

#include <cstddef>

namespace toft_test {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

} // namespace toft_test

#endif
