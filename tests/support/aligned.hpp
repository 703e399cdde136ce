// SPDX-License-Identifier: MIT
// Whether memory lies at a multiple of an alignment.
#ifndef TOFT_TESTS_SUPPORT_ALIGNED_HPP
#define TOFT_TESTS_SUPPORT_ALIGNED_HPP

#include <cstddef>
#include <cstdint>

namespace toft_test {

inline bool is_aligned(const void *p, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

} // namespace toft_test

#endif
