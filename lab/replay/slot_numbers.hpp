// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

// Numbers for objects, given out again after their free. A thread takes those that it freed itself;
// what it frees beyond a bound comes to any thread, the oldest first. So a thread seldom has to
// wait for the one that freed a number last, and threads that free what others allocate don't let
// the numbers grow.
namespace toft::lab {

class slot_numbers {
  public:
    struct taken {
        std::uint32_t slot = 0;
        bool used_before = false;
        std::uint32_t thread = 0;   // that freed it,
        std::uint64_t position = 0; // so many heap calls of it later
    };

    // Throws std::runtime_error when more objects live at once than a command can number.
    taken take(std::uint32_t thread);
    void give(std::uint32_t slot, std::uint32_t thread, std::uint64_t position);
    std::uint32_t count() const { return count_; }

  private:
    static constexpr std::size_t most_own = 1024;

    std::vector<std::deque<taken>> own_; // by thread
    std::deque<taken> common_;
    std::uint32_t count_ = 0;
};

} // namespace toft::lab
