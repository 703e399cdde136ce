// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <sys/types.h>

// The memory of a process and of all that it has started, sampled from outside while they run.
namespace toft::lab {

class memory_watch {
  public:
    explicit memory_watch(pid_t root) : root_(root) {}

    // Looks once. Between two looks the memory is taken for what the second one sees.
    void look();

    std::uint64_t peak_bytes() const { return peak_bytes_; }
    double average_bytes() const { return seconds_ > 0 ? byte_seconds_ / seconds_ : 0; }

    // How long to wait before the next look: a fiftieth of the time that has passed, so that a
    // short program is seen often enough and a long one isn't disturbed.
    std::chrono::milliseconds pause() const;

  private:
    using clock = std::chrono::steady_clock;

    pid_t root_;
    clock::time_point begin_ = clock::now();
    clock::time_point last_ = begin_;
    std::uint64_t peak_bytes_ = 0;
    double byte_seconds_ = 0;
    double seconds_ = 0;
};

} // namespace toft::lab
