// SPDX-License-Identifier: MIT
#include "hooks.hpp"

#include "candidates.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace toft::lab {
namespace {

using wrapper_key = std::pair<std::string, std::string>;
wrapper_key key_of(const source_place &p) { return {p.function, p.file}; }

// None where few lines make the objects, or the region's own function does: those are as soon
// changed.
std::vector<source_place> wrappers_of(const advice &a, places &names) {
    constexpr std::size_t many_lines = 4, few_wrappers = 3;
    const bool any_here = std::ranges::any_of(
        a.made, [&](const made_objects &m) { return m.by.function == a.scope.function; });
    if (a.made.size() < many_lines || any_here) return {};
    std::map<wrapper_key, source_place> wrappers;
    for (const std::uint32_t site : a.sites) {
        const source_place wrapper = names.wrapper(site);
        if (wrapper.function.empty()) return {};
        wrappers.try_emplace(key_of(wrapper), wrapper);
        if (wrappers.size() > few_wrappers) return {};
    }
    std::vector<source_place> all;
    for (auto &[key, wrapper] : wrappers) all.push_back(std::move(wrapper));
    return all;
}

bool comes_by_hook(std::uint32_t site, const advice &a, places &names) {
    if (a.in_library) return names.is_in_library(names.maker(site));
    const wrapper_key key = key_of(names.wrapper(site));
    return std::ranges::any_of(a.wrappers, [&](const source_place &w) { return key_of(w) == key; });
}

} // namespace

void add_hook(advice &a, const findings &known, places &names) {
    if (!a.in_library) a.wrappers = wrappers_of(a, names);
    if (!has_hook(a)) return;
    const std::set<std::uint32_t> own(a.sites.begin(), a.sites.end());
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || own.contains(site)) continue;
        if (a.function != 0 && known.tree.depth_of_call(site, a.function) == 0) continue;
        if (!comes_by_hook(site, a, names)) continue;
        a.others_by_hook += s.objects;
        a.other_bytes_by_hook += s.bytes;
    }
}

} // namespace toft::lab
