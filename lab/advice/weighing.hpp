// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <vector>

// Which of the changes are worth telling, and in which order.
namespace toft::lab {

// Of CPU time, in percent, made in the best of the ways that were looked at: without the frees,
// where the change was replayed and they can go.
interval best_gain(const advice &);

// Which malloc takes clearly less memory than the first, and isn't told apart by CPU time; null:
// none.
const malloc_gain *as_good_and_smaller(const std::vector<malloc_gain> &);
bool may_be_even(const malloc_gain &, const malloc_gain &); // by CPU time
bool is_worth_it(const advice &);
bool can_be_worth_it(const advice &); // at its best; so is what is to be left

// The same with what was left out of its arena, which may be worth its memory. Only where that was
// replayed.
interval gain_of_whole(const left_out_objects &);

// The best first, without those that gain next to nothing.
void put_in_order(std::vector<advice> &);

// The same, ten at most.
void keep_the_best(std::vector<advice> &);

// Whether replays, or runs of the program, say anything of a malloc or of a change, however many of
// them came to no end.
bool was_replayed(const advice_report &);

// Once replays have filled in what mallocs gain, and some of the changes: puts both in order. What
// a replay found is taken where it isn't lost in its noise. A change that gained nothing, and a
// pool or a reap that gains little beyond the best malloc, become "leave them", which is dropped
// where another line is about the same objects. A malloc that gains for sure, and by the middle of
// its range more than any change, comes first; whether their ranges overlap is noted.
void weigh(advice_report &);

} // namespace toft::lab
