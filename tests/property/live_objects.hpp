// SPDX-License-Identifier: MIT
// The objects of an arena that live, as a test knows them: their places don't overlap, they are
// aligned, and they keep their contents.
#ifndef TOFT_TESTS_PROPERTY_LIVE_OBJECTS_HPP
#define TOFT_TESTS_PROPERTY_LIVE_OBJECTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

namespace toft_test {

#define REQUIRE_TRUE(condition) toft_test::require((condition), #condition, __FILE__, __LINE__)
inline void require(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: %s doesn't hold\n", file, line, what);
    std::abort();
}

struct object {
    unsigned char *memory;
    std::size_t size;
    unsigned char stamp; // what each of its bytes is
};

inline void verify(const object &checked, std::size_t size) {
    const unsigned char *m = checked.memory;
    if (size == 0) return;
    REQUIRE_TRUE(m[0] == checked.stamp);
    REQUIRE_TRUE(size == 1 || std::memcmp(m, m + 1, size - 1) == 0);
}

// In the order of their allocation.
class live_objects {
  public:
    std::size_t size() const { return objects_.size(); }
    const object &operator[](std::size_t index) const { return objects_[index]; }

    void verify(std::size_t from) const {
        for (std::size_t i = from; i < size(); i++)
            toft_test::verify(objects_[i], objects_[i].size);
    }

    void add(void *memory, std::size_t size, std::size_t alignment) {
        object added = {static_cast<unsigned char *>(memory), size, ++stamp_};
        REQUIRE_TRUE(begin_of(added) % alignment == 0);
        auto next = extents_.lower_bound(begin_of(added));
        REQUIRE_TRUE(next == extents_.end() || next->first >= end_of(added));
        REQUIRE_TRUE(next == extents_.begin() || std::prev(next)->second <= begin_of(added));
        extents_.emplace_hint(next, begin_of(added), end_of(added));
        std::memset(added.memory, added.stamp, added.size);
        objects_.push_back(added);
    }

    void remove(std::size_t index) {
        extents_.erase(begin_of(objects_[index]));
        objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(index));
    }

    void drop_behind(std::size_t count) {
        verify(count);
        for (std::size_t i = count; i < size(); i++) extents_.erase(begin_of(objects_[i]));
        objects_.resize(count);
    }

    // Where the next object in memory begins.
    std::uintptr_t begin_behind(const object &before) const {
        auto next = extents_.upper_bound(begin_of(before));
        return next == extents_.end() ? UINTPTR_MAX : next->first;
    }

  private:
    // What an object of size 0 has for itself is its address.
    static std::uintptr_t begin_of(const object &o) {
        return reinterpret_cast<std::uintptr_t>(o.memory);
    }
    static std::uintptr_t end_of(const object &o) {
        return begin_of(o) + std::max<std::size_t>(o.size, 1);
    }

    std::vector<object> objects_;
    std::map<std::uintptr_t, std::uintptr_t> extents_;
    unsigned char stamp_ = 0;
};

} // namespace toft_test

#endif
