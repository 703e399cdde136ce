// SPDX-License-Identifier: MIT
#include "others.hpp"

#include "hooks.hpp"
#include "place_text.hpp"

#include <algorithm>
#include <set>

namespace toft::lab {
namespace {

// Each in its innermost call of the region's function, which an arena there would be in.
scope_group group_of(const advice &a, const stack_tree &tree) {
    scope_group group{a.function, {}};
    const auto add = [&](std::uint32_t site) {
        group.sites.push_back({site, frame_in_scope(a, tree, site)});
    };
    std::ranges::for_each(a.sites, add);
    std::ranges::for_each(a.other_sites, add);
    return group;
}

// The model's ranges go from nothing to its figure.
double figure_in(const interval &range) { return range.low + range.high; }

} // namespace

void add_others_of_lines(advice &a, const findings &known, places &names) {
    if (a.what != remedy::arena || has_hook(a)) return;
    std::set<line_key> lines;
    for (const made_objects &m : a.made) lines.insert(line_key_of(m.by));
    for_each_other_site(a, known, [&](std::uint32_t site, const site_lifetimes &s, auto depth) {
        const bool dies_there = s.scope() != no_scope && !known.of_library.contains(site) &&
                                outliving(a, site, s, depth).objects == 0;
        if (!dies_there || !lines.contains(line_key_of(names.maker(site).by))) return;
        a.others_of_lines += s.objects;
        a.other_sites.push_back(site);
    });
}

void add_peaks_with_others(std::vector<advice> &lines, const findings &known,
                           const each_recording &recordings) {
    std::vector<advice *> asked;
    std::vector<scope_group> groups;
    for (advice &a : lines)
        if (!a.other_sites.empty() && !a.peak_percent_with_others) {
            asked.push_back(&a);
            groups.push_back(group_of(a, known.tree));
        }
    if (asked.empty()) return;
    const std::vector<found_region> wholes = regions_of(groups, known.tree, recordings);
    for (std::size_t i = 0; i != asked.size(); ++i) {
        advice &a = *asked[i];
        const found_region &whole = wholes[i];
        const std::uint64_t headers = has_hook(a) ? hook_header_bytes * whole.most_at_once : 0;
        a.peak_percent_with_others =
            peak_percent_of(whole.arena_peak_bytes + headers, whole.malloc_peak_bytes, known);
        a.others_percent = figure_in(*a.peak_percent_with_others) - figure_in(a.peak_percent);
    }
}

void take_peak(advice &a, interval saved_percent) {
    if (a.peak_percent_with_others)
        a.peak_percent_with_others = {saved_percent.low + a.others_percent,
                                      saved_percent.high + a.others_percent};
    a.peak_percent = saved_percent;
}

} // namespace toft::lab
