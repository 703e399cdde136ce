// SPDX-License-Identifier: MIT
// An upstream over a buffer that takes nothing back: its free is NULL.
#ifndef TOFT_TESTS_SUPPORT_BUFFER_UPSTREAM_HPP
#define TOFT_TESTS_SUPPORT_BUFFER_UPSTREAM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>

#include <toft/upstream.h>

namespace toft_test {

class buffer_upstream {
  public:
    std::size_t taken_bytes = 0; // alignment included
    bool refusing = false;

    explicit buffer_upstream(std::size_t bytes) : bytes_(bytes), buffer_(new char[bytes]) {}
    buffer_upstream(const buffer_upstream &) = delete;
    buffer_upstream &operator=(const buffer_upstream &) = delete;

    const toft_upstream *c() const { return &upstream_; }

  private:
    static void *allocate(void *context, std::size_t bytes, std::size_t alignment) {
        auto *self = static_cast<buffer_upstream *>(context);
        auto free = reinterpret_cast<std::uintptr_t>(self->buffer_.get()) + self->taken_bytes;
        std::size_t skipped = (alignment - free % alignment) % alignment;
        std::size_t left = self->bytes_ - self->taken_bytes;
        if (self->refusing || skipped > left || bytes > left - skipped) return nullptr;
        self->taken_bytes += skipped + bytes;
        return reinterpret_cast<char *>(free) + skipped;
    }

    std::size_t bytes_;
    std::unique_ptr<char[]> buffer_;
    toft_upstream upstream_ = {allocate, nullptr, this};
};

} // namespace toft_test

#endif
