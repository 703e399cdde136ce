// SPDX-License-Identifier: MIT
// Included before each of libc++'s tests: what they call min_allocator and safe_allocator is ours.
// Compiled once, with the headers that they need. TOFT_FOREIGN_STRATEGY is toft::arena, toft::reap,
// toft::pool or toft::shared_pool.
#ifndef TOFT_TESTS_FOREIGN_LIBCXX_ALLOCATORS_HPP
#define TOFT_TESTS_FOREIGN_LIBCXX_ALLOCATORS_HPP

#define min_allocator their_min_allocator
#define safe_allocator their_safe_allocator
#include "min_allocator.h"
#undef min_allocator
#undef safe_allocator

#include <algorithm>
#include <cassert>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <toft/toft.hpp>

namespace toft_foreign {

// What has state refers to one strategy of the process, for tests that default-construct.
template <class Strategy>
Strategy &the_one() {
    static Strategy strategy;
    return strategy;
}
template <>
inline toft::shared_pool &the_one<toft::shared_pool>() {
    static toft::shared_pool shared;
    return shared;
}

template <class T, class Strategy>
class allocator : public toft::allocator<T, Strategy> {
  public:
    allocator() : toft::allocator<T, Strategy>(the_one<Strategy>()) {}
    template <class U>
    allocator(const allocator<U, Strategy> &other) noexcept : toft::allocator<T, Strategy>(other) {}
};

} // namespace toft_foreign

template <class T>
using min_allocator = toft_foreign::allocator<T, TOFT_FOREIGN_STRATEGY>;
template <class T>
using safe_allocator = toft_foreign::allocator<T, TOFT_FOREIGN_STRATEGY>;

#endif
