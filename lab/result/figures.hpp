// SPDX-License-Identifier: MIT
#pragma once

#include "row.hpp"

#include <vector>

// The figures of a row: each of its phases, and all of them together; in the first round of a
// process, which finds cold memory, and in the later ones. The result file, the report and a
// comparison speak of these. (A suite's own tables choose theirs by themselves.)
namespace toft::lab {

inline constexpr const char *all_phases = "all";

// Computed from the row's samples, in the order of the phases, the whole last; none for a row
// without samples.
std::vector<figure> figures_of(const row &);

// The figure that stands for the row: the whole of the later rounds, or else of the first one.
// Only for a row with samples.
figure main_figure_of(const row &);

} // namespace toft::lab
