// SPDX-License-Identifier: MIT
#pragma once

#include "result/row.hpp"

#include <string>
#include <vector>

// Rows made by hand.
namespace toft::lab {

inline measurement measured(const std::string &phase, std::uint64_t operations,
                            std::uint64_t cpu_ns) {
    measurement m;
    m.phases.push_back({phase, 1, operations, operations, {cpu_ns, cpu_ns, 0, 0}});
    return m;
}

// One process for each time; every operation is an allocation.
inline row row_of(std::vector<std::uint64_t> cpu_ns, std::uint64_t operations = 100) {
    row r;
    r.case_name = "case";
    r.subject = "subject";
    r.allocator = "glibc";
    for (const std::uint64_t ns : cpu_ns) r.samples.push_back(measured("work", operations, ns));
    return r;
}

inline const selection work_phase{{"work"}, 1, 1};

} // namespace toft::lab
