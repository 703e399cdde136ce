// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace toft::lab {

constexpr std::size_t parcel_objects = 1000;

// Objects that are handed to another thread, all at once.
struct parcel {
    std::array<void *, parcel_objects> objects{};
    std::uint32_t number = 0; // stamped on each of them
    bool agrees = true;       // all had the stamp that they should have
};

// Threads wait asleep for the next parcel. Neither end allocates: there is room for all from the
// beginning.
class parcel_queue {
  public:
    explicit parcel_queue(std::size_t most) : waiting_(most) {}

    void put(parcel *p) {
        {
            const std::lock_guard lock(mutex_);
            waiting_[(first_ + count_++) % waiting_.size()] = p;
        }
        changed_.notify_one();
    }
    parcel *take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return count_ != 0; });
        parcel *p = waiting_[first_];
        first_ = (first_ + 1) % waiting_.size();
        --count_;
        return p;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<parcel *> waiting_; // a ring
    std::size_t first_ = 0, count_ = 0;
};

} // namespace toft::lab
