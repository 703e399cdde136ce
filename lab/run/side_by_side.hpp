// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

// Several processes at once on one processor, for the ratios of their CPU times.
//
// The system gives each of them the processor for a few milliseconds, again and again. A machine
// that is slow for longer than that, as a virtual one often is, slows them all alike; processes
// that run one after another each meet another machine. It costs each of them a few percent, for
// caches that the others have filled. Their wall times say nothing.
namespace toft::lab {

// Each job starts a process and waits for its end. It runs in a thread of its own, whose processes
// stay on the processor on which the caller is now. Returns when all jobs have ended; then what the
// first of them threw is thrown again.
void run_side_by_side(const std::vector<std::function<void()>> &jobs);

// To be called by who has started a process and looks at it while it runs. In such a job, the
// thread goes to the other processors that it may use, if there are any: each look would take the
// processor from one of the processes and give it to another next, which finds its caches filled by
// others. So a process that uses more memory would seem slower than it is. It does nothing
// elsewhere.
void leave_the_processor();

} // namespace toft::lab
