// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

namespace toft::lab {

// Lets nobody pass until all have come, again and again. Waits asleep: std::barrier spins first,
// which would count as CPU time.
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
