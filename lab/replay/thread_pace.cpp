// SPDX-License-Identifier: MIT
#include "thread_pace.hpp"

#include <algorithm>
#include <ctime>

namespace toft::lab {
namespace {

std::uint64_t thread_cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

} // namespace

void thread_paces::wake(pace &own) {
    const std::uint64_t begin = thread_cpu_ns();
    {
        const std::lock_guard lock(own.mutex); // a waiter is before its look, or asleep
        own.awaited = nobody_waits;            // who waits for more says so again
    }
    own.reached.notify_all();
    waited_cpu_ns_ += thread_cpu_ns() - begin;
}

void thread_paces::wait_slow(pace &other, std::uint64_t position) {
    const std::uint64_t begin = thread_cpu_ns();
    {
        std::unique_lock lock(other.mutex);
        other.reached.wait(lock, [&] {
            other.awaited = std::min(other.awaited.load(), position);
            return other.done.load() >= position;
        });
    }
    waited_cpu_ns_ += thread_cpu_ns() - begin;
}

void thread_paces::will_start() {
    const std::lock_guard lock(mutex_);
    ++running_;
}

void thread_paces::end(std::uint32_t thread) {
    publish(thread, std::numeric_limits<std::uint64_t>::max());
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
}

void thread_paces::wait_for_ends() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
}

void thread_paces::begin_again() {
    for (std::uint32_t thread = 0; thread != count_; ++thread) paces_[thread].done = 0;
    running_ = 1;
    waited_cpu_ns_ = 0;
}

} // namespace toft::lab
