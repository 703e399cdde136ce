// SPDX-License-Identifier: MIT
#pragma once

#include "recording.hpp"

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

// A thread that decodes events while the caller works on those before them. It is a few batches
// ahead, and waits then.
namespace toft::lab {

class read_ahead {
  public:
    // Takes a full batch, and leaves an empty one with room in its place.
    using hand_over = std::function<void(std::vector<heap_event> &batch)>;

    static constexpr std::size_t batch_size = 4096;

    // Runs `decode` in a thread of its own until it returns; calls back with all that it hands
    // over, in this thread. What either of them throws ends both, and is thrown here.
    static void run(const std::function<void(const hand_over &)> &decode,
                    const std::function<void(std::span<const heap_event>)> &callback);

  private:
    void put(std::vector<heap_event> &batch);
    void end(std::exception_ptr failure);
    void take_all(const std::function<void(std::span<const heap_event>)> &callback);
    void abandon();

    std::mutex lock_;
    std::condition_variable changed_;
    std::array<std::vector<heap_event>, 4> batches_; // a ring
    std::size_t put_ = 0, taken_ = 0;                // how many there were
    bool ended_ = false, abandoned_ = false;
    std::exception_ptr failure_; // of the one that decodes
};

} // namespace toft::lab
