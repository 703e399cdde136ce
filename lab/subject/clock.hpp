// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

// What a piece of work costs this process: wall time, CPU time of all its threads (user and
// system), page faults and instructions.
namespace toft::lab {

struct cost {
    std::uint64_t wall_ns = 0;
    std::uint64_t cpu_ns = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    // Instructions in user mode; nothing where this machine doesn't count them.
    std::optional<std::uint64_t> instructions = {};
};

class stopwatch {
  public:
    stopwatch();       // starts
    cost stop() const; // since the start; may be asked again
    // For work that other threads did, which must have ended or wait. The kernel adds a thread's
    // CPU time to the process's when the thread leaves its CPU, so this waits for that a moment.
    cost stop_after_threads() const;

  private:
    cost start_;
};

} // namespace toft::lab
