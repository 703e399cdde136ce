// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"

#include <chrono>

// What other programs took of the machine while the lab measured. The load average can't say that:
// it counts the lab's own processes too, and forgets after a minute.
namespace toft::lab {

class load_watch {
  public:
    load_watch(); // starts
    load_facts stop() const;

  private:
    // All times are in seconds, since the machine or this process started.
    struct reading {
        double busy = 0;
        double stolen = 0;
        double own = 0;
        double all = 0; // of all CPUs, idle or not
    };
    static reading read();

    reading start_;
    double average_at_start_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace toft::lab
