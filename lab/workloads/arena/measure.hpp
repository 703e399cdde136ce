// SPDX-License-Identifier: MIT
#pragma once

#include "region_loops.h"
#include "subject/session.hpp"

#include <string>
#include <vector>

// How the loops of one allocator are measured. A case in bulk has the phases
//
//   fresh    the region is made and filled: cold memory          round 1
//   reused   it is filled and reset                              rounds 2 and 3
//   free     it is released, full                                round 1
//
// and a short one has the phase `loop`, rounds 2 to 6: round 1 warms up, and isn't recorded.
namespace toft::lab {

// A figure of a case in bulk: the bytes on huge pages when the region is full for the first time.
inline constexpr const char *huge_bytes = "huge_bytes";

inline constexpr unsigned first_reused_round = 2;
inline constexpr unsigned last_reused_round = 3;
inline constexpr unsigned first_loop_round = 2;
inline constexpr unsigned last_loop_round = 6;

void measure_region(session &, const toft_region_loops &);

bool is_bulk(const std::string &case_name);

// The names of the cases for which the allocator has loops.
std::vector<std::string> cases_of(const toft_region_loops &);

} // namespace toft::lab
