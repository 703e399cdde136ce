// SPDX-License-Identifier: MIT
#pragma once

#include "pipes.hpp"
#include "process.hpp"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace toft::lab {

inline constexpr const char *launcher_file = "launcher";

// A program of somebody else's, started by run/launcher.c from a small process, so that the peak of
// memory that the kernel tells of it is its own. It is a child of this process and leads a process
// group, which is killed when this process dies.
class launch {
  public:
    // Its input is empty; where no output is wanted, it is dropped. Returns once it has become the
    // program. Throws std::system_error when it can't be started.
    launch(const std::vector<std::string> &words, const surroundings &, int output, int errors);
    ~launch(); // leaves the program alone
    launch(const launch &) = delete;
    launch &operator=(const launch &) = delete;

    pid_t program() const { return program_; }
    std::chrono::steady_clock::time_point begun() const { return begun_; }

  private:
    void end_launcher() const;

    pipe_pair lifeline_;
    pid_t launcher_ = -1;
    pid_t program_ = -1;
    std::chrono::steady_clock::time_point begun_;
};

} // namespace toft::lab
