// SPDX-License-Identifier: MIT
#pragma once

#include "row.hpp"

// Whether a row's figures can be believed. Compilers may remove a malloc and its free when nobody
// uses the memory, and gcc and clang do. Such a row takes almost no time, and every ratio to it is
// nonsense.
namespace toft::lab {

// The least times for an allocation that are possible. No malloc takes less than the first, even
// when it is inlined. The second is a quarter of a cycle at 5 GHz: no program that stores a pointer
// for each object is faster.
inline constexpr double plausible_malloc_ns = 1.0;
inline constexpr double plausible_region_ns = 0.05;

// Gives the row its verdict. It is elided when its counted run made fewer heap allocations than its
// text asks for, or when a phase that allocates took less time than is possible. Otherwise it is
// noisy when one of its phases spreads too widely (phases below a tenth of the row's time don't
// count), or when its time depends on what ran before it. Rows that ran side by side may spread: a
// machine that changes its pace leaves their ratios as they are.
// It has failed when its timed runs say that they did other work than its counted run.
// Its figures are made of its samples at the same time.
void judge(row &);

// What a timed run says that it did must be what the counted run said: half the work takes half the
// time. Where both ran under the heap counter, the timed one must also have asked for as much,
// whatever it says. Empty when it holds; else which phase doesn't, and by how much.
std::string describe_other_work(const measurement &counted, const measurement &timed);

// A run under the heap counter must have written to each of its objects, on average, as many bytes
// as its case asks for (see bench_case::stored_bytes). Empty when it holds, or when too few of its
// objects were freed to tell.
std::string describe_missing_stores(const measurement &audited, double stored_bytes);

} // namespace toft::lab
