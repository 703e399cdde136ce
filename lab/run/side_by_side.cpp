// SPDX-License-Identifier: MIT
#include "side_by_side.hpp"

#include <future>
#include <sched.h>

namespace toft::lab {
namespace {

// Where the system has no such processor for this thread, its processes run where they may.
void stay_on(int processor) {
    if (processor < 0 || processor >= CPU_SETSIZE) return;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(static_cast<unsigned>(processor), &only);
    sched_setaffinity(0, sizeof only, &only);
}

} // namespace

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
