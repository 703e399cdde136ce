// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "subject/meeting_point.hpp"
#include "subject/session.hpp"

#include <thread>
#include <vector>

namespace toft::lab {

// Does rounds of the same work in several threads at once. make(i) builds the worker of thread i,
// in that thread. In each round all threads call their worker, and the round is timed from the
// start of the first to the end of the last. Whatever the workers need is built before, and isn't
// timed.
template <class Make>
void time_rounds(session &run, unsigned threads, std::uint64_t pairs, const Make &make) {
    const unsigned last_round = run.counted() ? 1 : last_pool_round;
    meeting_point ready(threads + 1), start(threads + 1), done(threads + 1);
    std::vector<std::jthread> team;
    for (unsigned i = 0; i != threads; ++i)
        team.emplace_back([&, i] {
            auto worker = make(i);
            for (unsigned round = 1; round <= last_round; ++round) {
                ready.pass();
                start.pass();
                worker();
                done.pass();
            }
        });
    for (unsigned round = 1; round <= last_round; ++round) {
        ready.pass();
        run.timed_on_threads("pairs", round, allocations(pairs), [&] {
            start.pass();
            done.pass();
        });
    }
}

} // namespace toft::lab
