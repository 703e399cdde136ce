// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "places.hpp"
#include "regions.hpp"

// What goes into an arena beside its objects where the program can't tell the two apart: what comes
// through the same hook, or what the same lines make on another way.
namespace toft::lab {

struct findings;

// What the lines of an arena that no hook fills make besides, and what dies there too.
void add_others_of_lines(advice &, const findings &known, places &names);
// The peak memory with all others in it. Reads the recordings once, where there are any.
void add_peak_with_others(advice &, const findings &known, const each_recording &);

} // namespace toft::lab
