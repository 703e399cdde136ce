// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// What a stretch of work costs this process: wall time, CPU time of all its threads (user and
// system), page faults and instructions.
namespace toft::lab {

struct cost {
    std::uint64_t wall_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t instructions = 0; // in user mode; 0: this machine doesn't count them
};

class stopwatch {
  public:
    stopwatch();       // starts
    cost stop() const; // since the start; may be asked again
    // The same when other threads did the work, and have ended or wait: the kernel counts what a
    // thread has run when it leaves its CPU, which they are given the time for.
    cost stop_after_threads() const;

  private:
    cost start_;
};

} // namespace toft::lab
