// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

// Two results compared, figure by figure.
//
// The rows of a case are measured interleaved, so a slow moment of the machine hits them all; two
// runs share no such moments. What all rows of a case have in common (the median of their ratios)
// is therefore shown for the case and never called a change. It is taken off each of its rows
// before the row is called slower or faster. With fewer than five rows nothing can be taken off,
// and the margin is wider.
namespace toft::lab {

comparison compare(const bench_result &old_result, const bench_result &new_result);

} // namespace toft::lab
