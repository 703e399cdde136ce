// SPDX-License-Identifier: MIT
// An order that has nothing to do with the one before.
#ifndef TOFT_TESTS_SUPPORT_SCATTER_HPP
#define TOFT_TESTS_SUPPORT_SCATTER_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include <toft/reap.h>

namespace toft_test {

// Scatters the first so many; into the same order each time.
template <class Object>
void scatter(std::vector<Object> &objects, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) std::swap(objects[i], objects[(i * 7919 + 13) % count]);
}

// Frees all but the last so many, in such an order; each is an object and its size.
inline void free_scattered(toft_reap *reap, std::vector<std::pair<char *, std::size_t>> &objects,
                           std::size_t but) {
    scatter(objects, objects.size() - but);
    for (std::size_t i = 0; i + but < objects.size(); i++)
        toft_reap_free(reap, objects[i].first, objects[i].second, 8);
}

} // namespace toft_test

#endif
