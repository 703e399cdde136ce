// SPDX-License-Identifier: MIT
#pragma once

#include "clock.hpp"
#include "heap_counter.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What one process reports about the one subject that it ran.
namespace toft::lab {

struct phase_sample {
    std::string phase;
    unsigned round = 1; // 1 is the first in its process, and cold: nothing warmed up before it
    std::uint64_t operations = 0;  // the time is divided by their number
    std::uint64_t allocations = 0; // so many of the operations; 0 in a phase without allocations
    cost spent;
};

// How much memory was resident, as somebody saw it who looked from outside.
struct resident_sample {
    std::uint64_t at_ns = 0; // since the program began
    std::uint64_t bytes = 0;
};

struct measurement {
    std::vector<phase_sample> phases;
    toft_heap_counts heap{};                     // only of a counted run
    std::uint64_t expected_heap_allocations = 0; // what the program text asks for in that run
    std::uint64_t chunks = 0;       // that a region took from its upstream; 0: no region
    std::uint64_t peak_bytes = 0;   // resident, of the whole process
    std::uint64_t minor_faults = 0; // of the whole process
    std::uint64_t major_faults = 0;
    std::uint64_t process_cpu_ns = 0;      // measured by the parent: start, all rounds, and exit
    std::map<std::string, double> figures; // that only some subjects have; the suite names them
    std::vector<resident_sample> resident; // over time; empty: nobody looked
    std::string after;   // the row that was measured just before; empty: the first
    std::string version; // of the allocator that was measured, where it isn't the malloc
    std::string failure; // a check that failed; empty when all held
};

} // namespace toft::lab
