// SPDX-License-Identifier: MIT
#pragma once

#include "launch.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace toft::lab {

struct ended_process {
    std::string trouble; // how it ended, when that wasn't with its usual status; else empty
    rusage usage{};      // of the process and of those that it has waited for
};

// A program of somebody else's that runs, and is listened to while it does. It leads a process
// group of its own, which dies with this process.
class started_process {
  public:
    // Its input is empty. Its output is read when it is kept, and dropped otherwise; its errors are
    // read, for their last line. Throws std::system_error when it can't be started.
    started_process(const std::vector<std::string> &words, const surroundings &, bool keeps_output);
    ~started_process(); // kills what still runs of its group, and waits until that is gone
    started_process(const started_process &) = delete;
    started_process &operator=(const started_process &) = delete;

    pid_t id() const { return launched_->program(); }
    std::chrono::steady_clock::time_point begun() const { return launched_->begun(); }

    // Waits for words of it, at most so long. Returns false when it has ended. What another one
    // says meanwhile is read, too: nobody stops at a full pipe.
    bool listen(std::chrono::milliseconds longest, started_process *beside = nullptr);
    bool has_ended() const;

    // Once, at its end; waits for that.
    ended_process wait(int usual_status = 0);

    void ask_to_end() const; // SIGTERM, to it alone
    void kill_all() const;   // it, and all that it started

    // The length of its output and a hash of it, as text.
    std::string digest() const;

  private:
    void hear();
    void read_output();
    void read_errors();

    pipe_pair output_, errors_;
    // Those of them that somebody can still write to. At a pipe's end poll wouldn't wait: it would
    // take a processor from what is measured.
    std::array<pollfd, 2> ends_ = {{{-1, POLLIN, 0}, {-1, POLLIN, 0}}};
    std::optional<launch> launched_;
    bool waited_for_ = false;
    std::string last_errors_;
    std::uint64_t length_ = 0;
    std::uint64_t hash_ = 14695981039346656037U; // FNV-1a's basis
};

} // namespace toft::lab
