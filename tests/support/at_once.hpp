// SPDX-License-Identifier: MIT
// Threads that begin the same work at one moment.
#ifndef TOFT_TESTS_SUPPORT_AT_ONCE_HPP
#define TOFT_TESTS_SUPPORT_AT_ONCE_HPP

#include <barrier>
#include <thread>
#include <vector>

namespace toft_test {

// Calls work(0), work(1), ... in as many threads, and waits for their ends.
template <class Work>
void run_at_once(int count, const Work &work) {
    std::barrier<> all_begin(count);
    std::vector<std::thread> threads;
    for (int t = 0; t < count; t++)
        threads.emplace_back([&, t] {
            all_begin.arrive_and_wait();
            work(t);
        });
    for (std::thread &thread : threads) thread.join();
}

} // namespace toft_test

#endif
