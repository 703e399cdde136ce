// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace toft::lab {

// Memory straight from the system, all of it there at once, zero at first: not of the heap that is
// measured.
class mapped_words {
  public:
    explicit mapped_words(std::size_t count) : bytes_(count * sizeof(std::uint64_t)) {
        if (bytes_ == 0) return;
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~mapped_words() {
        if (bytes_ != 0) munmap(memory_, bytes_);
    }
    mapped_words(const mapped_words &) = delete;
    mapped_words &operator=(const mapped_words &) = delete;

    std::uint64_t *data() const { return static_cast<std::uint64_t *>(memory_); }

  private:
    std::size_t bytes_;
    void *memory_ = nullptr;
};

} // namespace toft::lab
