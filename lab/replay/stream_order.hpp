// SPDX-License-Identifier: MIT
#pragma once

#include "program_file.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

// What keeps the replayed threads in the recorded order. A thread waits for another where an
// object, or an object's number, comes from that one; and some thousand calls later than the others
// it waits too, so that phases of the program that came one after another stay apart. Every wait is
// for what came earlier in the recording: the first call that isn't done yet never has to wait, so
// no replay can hang.
namespace toft::lab {

// A moment in a thread's stream: so many calls of the heap are done.
struct moment {
    std::uint32_t thread = 0;
    std::uint64_t position = 0;
};

class stream_order {
  public:
    explicit stream_order(program_writer &to) : to_(to) {}

    // To be called for each event that becomes a call, before its command is added.
    void begin_call(std::uint32_t thread);
    // To be called behind it: returns the moment after the call.
    moment end_call(std::uint32_t thread);
    // The thread goes on only after that moment.
    void wait(std::uint32_t thread, moment until);

    std::uint32_t first_thread() const { return last_ ? first_ : 0; }
    std::uint64_t calls() const { return calls_; }
    std::uint64_t waits() const { return waits_; }

  private:
    static constexpr std::uint64_t stretch_calls = 4096;

    struct thread_state {
        bool started = false;
        std::uint64_t position = 0;
        std::uint64_t stretch = 0;
    };
    thread_state &state_of(std::uint32_t thread);

    program_writer &to_;
    std::vector<thread_state> threads_;
    std::unordered_map<std::uint64_t, std::uint64_t> known_; // by both threads: a position
    std::optional<moment> last_;                             // after the last call of all
    moment end_of_last_stretch_, end_of_stretch_before_;
    std::uint32_t first_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t waits_ = 0;
};

} // namespace toft::lab
