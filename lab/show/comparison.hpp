// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

// Two results compared, figure by figure: which rows of the two files belong together, and which of
// them a change of ours could touch (see result/call_changes.hpp for what is made of them).
//
// Judged are Toft's own rows, and those on a malloc that --preload named. All other rows of a suite
// are its controls, as long as the allocator that they measure has the same version in both files.
// A judged row that only the old file has can't be judged, unless the new run wasn't asked for it.
namespace toft::lab {

comparison compare(const bench_result &old_result, const bench_result &new_result);

} // namespace toft::lab
