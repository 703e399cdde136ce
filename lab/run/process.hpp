// SPDX-License-Identifier: MIT
#pragma once

#include "subject/measurement.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Starts this command again as a child and listens to what it answers on a pipe.
namespace toft::lab {

// The descriptor on which a child finds its end of the pipe.
inline constexpr int answer_fd = 3;

struct finished_process {
    std::string answer;       // all that it wrote to the pipe
    std::string trouble;      // how it ended, when that wasn't exit status 0; else empty
    std::uint64_t cpu_ns = 0; // from its start to its very end, as the kernel counted
    bool interrupted = false; // this process was told to stop (see interrupt.hpp) meanwhile
    std::vector<resident_sample> resident; // its memory over time, where that was asked for
    std::uint64_t begun_ns = 0;            // of the steady clock: the zero of these samples
};

enum class memory { unwatched, watched };

// What a child's environment has that this process's hasn't. This process's own LD_PRELOAD isn't
// passed on.
struct surroundings {
    std::string preload = {}; // a library; empty: none
    std::string setting = {}; // "VAR=VALUE"; empty: none
};

// The environment of a child, as "VAR=VALUE".
std::vector<std::string> environment_with(const surroundings &);

// Runs `toft ARGUMENTS...` in such an environment. When the child fails, what it wrote to standard
// error comes back in `trouble`; otherwise that is dropped. A child that takes longer than the
// limit is killed, with everything that it started, and so is one that runs when this process is
// told to stop. Throws std::system_error when no child can be started.
finished_process run_self(const std::vector<std::string> &arguments, const surroundings &,
                          double limit_seconds, memory = memory::unwatched);

// To be called in a child: the child dies when its parent dies, however that happens.
void die_with_parent();

// To be called in a child: sends the answer to the parent.
void answer_parent(const std::string &answer);

} // namespace toft::lab
