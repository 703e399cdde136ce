// SPDX-License-Identifier: MIT
#pragma once

#include "result.hpp"

#include <cstdint>
#include <string>
#include <vector>

// The figures of a row: each of its phases, and all of them together; in the first round of a
// process, which finds cold memory, and in the later ones. What the result file, the report and a
// comparison speak of. (A suite's own tables choose theirs by themselves.)
namespace toft::lab {

inline constexpr const char *all_phases = "all";

struct figure {
    std::string phase; // or all_phases
    bool first = true; // round 1; otherwise the median of the later rounds
    bool whole = true; // all that the row does in those rounds
    std::uint64_t operations = 0;
    selection of;
};

// In the order of the phases, the whole last; none for a row without samples.
std::vector<figure> figures_of(const row &);

// The figure that stands for the row: the whole of the later rounds, or else of the first one.
// Only for a row with samples.
figure main_figure_of(const row &);

} // namespace toft::lab
