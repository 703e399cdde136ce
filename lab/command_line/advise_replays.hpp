// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "run/target.hpp"
#include "subject/allocator.hpp"

#include <vector>

// What replays add to advice. Advice and replay are rooms that don't know each other: this puts
// them together.
namespace toft::lab {

struct replay_bounds {
    double seconds = 30;               // that all replays may take
    double most_seconds = 300;         // that those of a large recording may, once each
    double share = 1;                  // of what was asked for: runs of the program take the rest
    std::vector<allocator> allocators; // the first is the recorded program's
    // The recorded program, where it is short enough to be run beside every replay. Then what it
    // takes is known for the moments in which they ran.
    target program = {};
};

// Replays the largest of the recordings, from which the report was made: under each malloc, unless
// the report knows what they gain, and with each of the first changes made. Fills in the report's
// mallocs and the lines' `replayed`. Where the time is too short, the report says so. The report
// has objects, and isn't sampled.
void add_replays(advice_report &, const std::vector<recording> &, const replay_bounds &);

} // namespace toft::lab
