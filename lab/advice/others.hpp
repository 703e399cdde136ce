// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "candidates.hpp"
#include "places.hpp"
#include "regions.hpp"

#include <cstdint>
#include <set>

// What goes into an arena beside its objects where the program can't tell the two apart: what comes
// through the same hook, or what the same lines make on another way.
namespace toft::lab {

// The depth of the innermost call of the advice's function; 0: there is none, or the whole program
// is meant.
inline std::uint32_t depth_in_scope(const advice &a, const stack_tree &tree, std::uint32_t site) {
    return a.function == 0 ? 0 : tree.depth_of_call(site, a.function);
}

// The frame of that call; 0 likewise.
inline std::uint32_t frame_in_scope(const advice &a, const stack_tree &tree, std::uint32_t site) {
    const std::uint32_t depth = depth_in_scope(a, tree, site);
    return depth == 0 ? 0 : tree[tree.ancestor(site, depth)].frame;
}

// The sites below the advice's function that it isn't about, each with that depth.
template <class Visit>
void for_each_other_site(const advice &a, const findings &known, Visit visit) {
    const std::set<std::uint32_t> own(a.sites.begin(), a.sites.end());
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || own.contains(site)) continue;
        const std::uint32_t depth = depth_in_scope(a, known.tree, site);
        if (a.function == 0 || depth != 0) visit(site, s, depth);
    }
}

// What the lines of an arena that no hook fills make besides, and what dies there too.
void add_others_of_lines(advice &, const findings &known, places &names);
// The peak memory with all others in it, of each line that has any and lacks it. Reads the
// recordings once for all lines.
void add_peaks_with_others(std::vector<advice> &, const findings &known, const each_recording &);
// What a replay, or runs of the program, say of the peak memory takes the model's place. What the
// others add to it stays the model's.
void take_peak(advice &, interval saved_percent);

} // namespace toft::lab
