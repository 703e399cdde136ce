// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

// How far each thread of a replay is, and waiting for that. The CPU time that waiting and waking
// take is counted apart: it is the replay's, not the heap's.
namespace toft::lab {

class thread_paces {
  public:
    // A thread says how far it is after so many calls, and before it stops to wait.
    static constexpr std::uint64_t publish_every = 64;

    // One more is kept for the stream behind the last thread's.
    explicit thread_paces(std::uint32_t threads)
        : count_(threads + 1),
          paces_(std::make_unique<pace[]>(count_)) {}

    // What the thread did before is seen by those that have waited for it. Either this sees what
    // somebody waits for, or that one sees the new value: both orders are sequentially consistent.
    void publish(std::uint32_t thread, std::uint64_t done) {
        pace &own = paces_[thread];
        own.done.store(done);
        if (own.awaited.load() <= done) wake(own);
    }
    // The thread, which is so far itself, goes on when the other one is at the position.
    void wait(std::uint32_t thread, std::uint64_t done, std::uint32_t other,
              std::uint64_t position) {
        if (paces_[other].done.load(std::memory_order_acquire) >= position) return; // publish's
        publish(thread, done);
        wait_slow(paces_[other], position);
    }

    void will_start();
    void end(std::uint32_t thread);
    void wait_for_ends(); // of all threads but the first, which this is
    void begin_again();   // before another replay

    std::uint64_t waited_cpu_ns() const { return waited_cpu_ns_; }

  private:
    static constexpr std::uint64_t nobody_waits = std::numeric_limits<std::uint64_t>::max();

    // Each has its own waiters, and wakes them when the first of them can go on: of a hundred
    // threads that wait, most wait for others.
    struct alignas(64) pace {
        std::atomic<std::uint64_t> done{0};
        std::atomic<std::uint64_t> awaited{nobody_waits}; // the least that anybody waits for
        std::mutex mutex;
        std::condition_variable reached;
    };
    void wake(pace &);
    void wait_slow(pace &other, std::uint64_t position);

    std::uint32_t count_;
    std::unique_ptr<pace[]> paces_;
    std::atomic<std::uint64_t> waited_cpu_ns_{0};
    std::uint32_t running_ = 1;
    std::mutex mutex_; // of running_
    std::condition_variable ended_;
};

} // namespace toft::lab
