// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"

#include <chrono>

// What others took of the machine meanwhile: the load average counts ourselves too, and forgets.
namespace toft::lab {

class load_watch {
  public:
    load_watch(); // starts
    load_facts stop() const;

  private:
    // All in seconds, since the machine or this process began.
    struct reading {
        double busy = 0;
        double stolen = 0;
        double own = 0;
        double all = 0; // of all CPUs, idle or not
    };
    static reading read();

    reading start_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace toft::lab
