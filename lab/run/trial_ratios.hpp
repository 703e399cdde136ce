// SPDX-License-Identifier: MIT
#pragma once

#include "result/paired.hpp"
#include "result/result.hpp"

// What the rounds of `toft try` tell so far, and when to ask: the trial stops by the same intervals
// by which its verdict is given.
namespace toft::lab {

// How sure all ratios of a trial are together, the intervals of identical programs all holding 1.
inline constexpr double trial_confidence = .95;

// A figure of each sample where rows run side by side with the first one.
inline constexpr const char *first_beside_figure = "CPU time of the first row at the same time, ns";

// After 5 rounds, 10, 20, 40 and so on. Fewer agree by chance, and whoever looks after each round
// stops at the first chance.
bool is_time_to_look(unsigned rounds);

// A row's time, round by round, to that of the first row: in the same round, or at the same time.
paired_ratio ratio_to_first(const suite_result &, const row &, clock_kind);

// The same with a confidence of its own for each ratio, for whoever looks once.
paired_ratio ratio_to_first(const suite_result &, const row &, clock_kind, double confidence);

// As the first, of any two rows.
paired_ratio ratio_of_rows(const suite_result &, const row &upper, const row &lower, clock_kind);

// Whether each ratio to the first row is known within that share of it. Rows with a problem don't
// count.
bool are_known(const suite_result &, clock_kind, double precision);

} // namespace toft::lab
