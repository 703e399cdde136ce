// SPDX-License-Identifier: MIT
#pragma once

#include "resident_history.hpp"

#include <chrono>
#include <cstdint>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

// The memory and the CPU time of a process and of all that it has started, from outside while they
// run.
namespace toft::lab {

// CPU time until now. Of a process that has ended, it is known in hundredths of a second, and only
// once its parent has waited for it; a parent that ignores SIGCHLD never does.
std::uint64_t cpu_ns_of_tree(pid_t root);

class memory_watch {
  public:
    explicit memory_watch(pid_t root) : root_(root) {}

    // Looks once. Between two looks the memory is taken for what the second one sees.
    void look();

    // What wait4 tells of the highest of a process that has ended, and of those that it waited for.
    // It knows of peaks between two looks, and of a program that ended before the first. It also
    // counts what the process had before its exec, which is hardly anything for a program that
    // launch has started.
    void hear_of_peak(const rusage &);

    // The zero of the samples, by the steady clock.
    std::uint64_t begun_ns() const {
        return static_cast<std::uint64_t>(
            std::chrono::nanoseconds(begin_.time_since_epoch()).count());
    }

    std::uint64_t peak_bytes() const { return peak_bytes_; }
    const std::vector<resident_sample> &samples() const { return history_.samples(); }
    double average_bytes() const {
        return seconds_ > 0 ? byte_seconds_ / seconds_ : static_cast<double>(peak_bytes_);
    }

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
    resident_history history_;
};

} // namespace toft::lab
