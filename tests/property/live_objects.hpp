// SPDX-License-Identifier: MIT
// The objects of an arena that live, as a test knows them: their places don't overlap, they are
// aligned, and they keep their contents.
#ifndef TOFT_TESTS_PROPERTY_LIVE_OBJECTS_HPP
#define TOFT_TESTS_PROPERTY_LIVE_OBJECTS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "property/extents.hpp"
#include "property/require.hpp"

namespace toft_test {

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
        REQUIRE_TRUE(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
        extents_.add(memory, size);
        std::memset(added.memory, added.stamp, added.size);
        objects_.push_back(added);
    }

    void remove(std::size_t index) {
        extents_.remove(objects_[index].memory);
        objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(index));
    }

    void drop_behind(std::size_t count) {
        verify(count);
        for (std::size_t i = count; i < size(); i++) extents_.remove(objects_[i].memory);
        objects_.resize(count);
    }

    // Where the next object in memory begins.
    std::uintptr_t begin_behind(const object &before) const {
        return extents_.begin_behind(before.memory);
    }

  private:
    std::vector<object> objects_;
    extents extents_;
    unsigned char stamp_ = 0;
};

} // namespace toft_test

#endif
