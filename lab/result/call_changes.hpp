// SPDX-License-Identifier: MIT
#pragma once

#include "compared.hpp"

// Decides which figures of a comparison changed.
//
// Three things make two runs of the same build differ, and each is measured where a change of ours
// can't hide in it:
//
//   the noise of a figure     from its own processes. Three that agree by chance would look too
//                             sure, so a figure borrows from the typical figure of its suite
//   the run's own mood        from the controls: what they have in common is taken off each row,
//                             but never more than half again, because no machine is that moody
//   from row to row           from how far the controls differ beyond their own noise
//
// So a shift that is common to the judged rows alone stays in their ratios. Where there are fewer
// than three controls, the judged rows themselves have to say what is shared. Then no more than a
// quarter is taken off, and nobody can tell a common shift of that size from the machine's mood.
//
// A figure is called when its interval doesn't hold 1. The intervals are so wide that a comparison
// of the same build calls one or more of its figures in at most 1 of 100 cases, however many
// figures it has (Bonferroni's correction).
namespace toft::lab {

inline constexpr double most_shared = 1.5;
inline constexpr double most_shared_without_controls = 1.25;

// Completes the figures that aren't unsure yet, and adds what cases and suites come to.
void call_changes(comparison &);

} // namespace toft::lab
