// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"

#include <chrono>
#include <iosfwd>
#include <sched.h>

// What other programs took of the machine while the lab measured. The load average can't say that:
// it counts the lab's own processes too, and forgets after a minute.
namespace toft::lab {

// What CPUs did since the machine started, added up.
struct cpu_ticks {
    double busy = 0;
    double stolen = 0; // by the machine's host
    double all = 0;    // idle or not
};

// The text of /proc/stat, of these CPUs alone: what the others do doesn't disturb a process that
// may not use them.
cpu_ticks ticks_of(std::istream &stat, const cpu_set_t &);

class load_watch {
  public:
    load_watch(); // starts
    load_facts stop() const;

  private:
    // All times are in seconds, since the machine or this process started, and of the CPUs that
    // this process may use.
    struct reading {
        double busy = 0;
        double stolen = 0;
        double own = 0;
        double all = 0; // idle or not
    };
    static reading read();

    reading start_;
    double average_at_start_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace toft::lab
