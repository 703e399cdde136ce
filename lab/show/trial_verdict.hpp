// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <string>

namespace toft::lab {

// How the sentence begins where no malloc may be called the best, or too little was measured.
inline constexpr const char *too_noisy_to_tell = "Too noisy to tell which malloc is best.";
inline constexpr const char *nothing_can_be_said = "Nothing can be said";

// Whether it says either of these.
inline bool tells_no_best(const std::string &verdict) {
    return verdict.starts_with(too_noisy_to_tell) || verdict.starts_with(nothing_can_be_said);
}

// Says in one sentence which malloc to link, what it gains, and whether that is beyond noise:
//
//   some row's interval is below 1     "Link ...", or "Run it with VAR=VALUE": of these, the one
//                                      with the least ratio, and, where its peak differs by 5 % or
//                                      more, what that costs or saves in memory; and which others
//                                      are within noise of it
//   none is                            "Stay with ...": the first row
//   the first row failed, it is the only one, or fewer than three rounds were made: nothing is
//   recommended
//
// Wall time doesn't decide where other programs kept the machine busy: a row that waited for them
// would be called slow. CPU time does then, and a sentence says so. Another one comes where the
// intervals are wider than was asked for.
std::string trial_verdict(const bench_result &, clock_kind decides, double precision);

} // namespace toft::lab
