// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
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

    // What the thread did before is seen by those that have waited for it. Either this sees that
    // somebody waits, or that one sees the new value: both orders are sequentially consistent.
    void publish(std::uint32_t thread, std::uint64_t done) {
        paces_[thread].done.store(done);
        if (waiting_.load() != 0) wake();
    }
    // The thread, which is so far itself, goes on when the other one is at the position.
    void wait(std::uint32_t thread, std::uint64_t done, std::uint32_t other,
              std::uint64_t position) {
        if (paces_[other].done.load(std::memory_order_acquire) >= position) return; // publish's
        publish(thread, done);
        wait_slow(other, position);
    }

    void will_start() { running_.fetch_add(1); }
    void end(std::uint32_t thread);
    void wait_for_ends(); // of all threads but the first, which this is
    void begin_again();   // before another replay

    std::uint64_t waited_cpu_ns() const { return waited_cpu_ns_; }

  private:
    struct alignas(64) pace {
        std::atomic<std::uint64_t> done{0};
    };
    void wake();
    void wait_slow(std::uint32_t other, std::uint64_t position);

    std::uint32_t count_;
    std::unique_ptr<pace[]> paces_;
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::uint64_t> waited_cpu_ns_{0};
    std::atomic<std::uint32_t> running_{1};
    std::mutex mutex_;
    std::condition_variable changed_;
};

} // namespace toft::lab
