// SPDX-License-Identifier: MIT
#include "side_by_side.hpp"

#include <future>
#include <sched.h>

namespace toft::lab {
namespace {

// The processors that this thread had before it was bound to one, without that one.
thread_local cpu_set_t others;

// Where the system has no such processor for this thread, its processes run where they may.
void stay_on(int processor) {
    if (processor < 0 || processor >= CPU_SETSIZE) return;
    const auto number = static_cast<unsigned>(processor);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(number, &only);
    if (sched_getaffinity(0, sizeof others, &others) != 0) CPU_ZERO(&others);
    CPU_CLR(number, &others);
    sched_setaffinity(0, sizeof only, &only);
}

} // namespace

void leave_the_processor() {
    if (CPU_COUNT(&others) != 0) sched_setaffinity(0, sizeof others, &others);
}

void run_side_by_side(const std::vector<std::function<void()>> &jobs) {
    const int processor = sched_getcpu();
    std::vector<std::future<void>> running;
    for (const std::function<void()> &job : jobs)
        running.push_back(std::async(std::launch::async, [&job, processor] {
            stay_on(processor);
            job();
        }));
    for (const std::future<void> &one : running) one.wait();
    for (std::future<void> &one : running) one.get();
}

} // namespace toft::lab
