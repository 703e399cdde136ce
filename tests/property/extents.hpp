// SPDX-License-Identifier: MIT
// Which addresses are in live objects: none may be in two.
#ifndef TOFT_TESTS_PROPERTY_EXTENTS_HPP
#define TOFT_TESTS_PROPERTY_EXTENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "property/require.hpp"

namespace toft_test {

class extents {
  public:
    void add(const void *memory, std::size_t size) {
        std::uintptr_t begin = address(memory);
        // What an object of size 0 has for itself is its address.
        std::uintptr_t end = begin + std::max<std::size_t>(size, 1);
        auto next = ends_.lower_bound(begin);
        REQUIRE_TRUE(next == ends_.end() || next->first >= end);
        REQUIRE_TRUE(next == ends_.begin() || std::prev(next)->second <= begin);
        ends_.emplace_hint(next, begin, end);
    }
    void remove(const void *memory) { REQUIRE_TRUE(ends_.erase(address(memory)) == 1); }
    void clear() { ends_.clear(); }

    // Where the next object in memory begins.
    std::uintptr_t begin_behind(const void *memory) const {
        auto next = ends_.upper_bound(address(memory));
        return next == ends_.end() ? UINTPTR_MAX : next->first;
    }

  private:
    static std::uintptr_t address(const void *memory) {
        return reinterpret_cast<std::uintptr_t>(memory);
    }

    std::map<std::uintptr_t, std::uintptr_t> ends_; // by their begins
};

} // namespace toft_test

#endif
