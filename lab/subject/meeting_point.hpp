// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

namespace toft::lab {

// A barrier: no thread passes until all threads have come, and it can be used again and again.
// Threads wait asleep. std::barrier spins first, and spinning would count as CPU time.
class meeting_point {
  public:
    explicit meeting_point(unsigned all) { pthread_barrier_init(&barrier_, nullptr, all); }
    ~meeting_point() { pthread_barrier_destroy(&barrier_); }
    meeting_point(const meeting_point &) = delete;
    meeting_point &operator=(const meeting_point &) = delete;

    void pass() { pthread_barrier_wait(&barrier_); }

  private:
    pthread_barrier_t barrier_{};
};

} // namespace toft::lab
