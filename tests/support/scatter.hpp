// SPDX-License-Identifier: MIT
// An order that has nothing to do with the one before.
#ifndef TOFT_TESTS_SUPPORT_SCATTER_HPP
#define TOFT_TESTS_SUPPORT_SCATTER_HPP

#include <cstddef>
#include <utility>
#include <vector>

namespace toft_test {

// Scatters the first so many; into the same order each time.
template <class Object>
void scatter(std::vector<Object> &objects, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) std::swap(objects[i], objects[(i * 7919 + 13) % count]);
}

} // namespace toft_test

#endif
