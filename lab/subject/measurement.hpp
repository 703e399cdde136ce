// SPDX-License-Identifier: MIT
#pragma once

#include "clock.hpp"
#include "heap_counter.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// What one process says of the one subject that it ran, and its form in JSON.
namespace toft::lab {

struct phase_sample {
    std::string phase;
    unsigned round = 1;            // 1 is cold: the first in its process
    std::uint64_t operations = 0;  // the time is shared out among these
    std::uint64_t allocations = 0; // of the operations; 0 in a phase that allocates nothing
    cost spent;
};

struct measurement {
    std::vector<phase_sample> phases;
    toft_heap_counts heap{};                     // only of a counted run
    std::uint64_t expected_heap_allocations = 0; // what the program text asks for in that run
    std::uint64_t chunks = 0;                    // that a region took from upstream; 0: no region
    std::uint64_t peak_bytes = 0;                // resident, of the whole process
    std::uint64_t minor_faults = 0;              // of the whole process
    std::uint64_t major_faults = 0;
    std::uint64_t process_cpu_ns = 0;      // seen from outside: start, all rounds, and the exit
    std::map<std::string, double> figures; // that only some subjects have; of what, the suite says
    std::string after;   // the row that was measured just before; empty: the first
    std::string version; // of what was measured, where it has one of its own
    std::string failure; // a check that failed; empty when all held
};

void to_json(nlohmann::json &, const measurement &);
void from_json(const nlohmann::json &, measurement &); // throws nlohmann::json::exception

} // namespace toft::lab
