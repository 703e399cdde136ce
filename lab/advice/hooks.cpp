// SPDX-License-Identifier: MIT
#include "hooks.hpp"

#include "candidates.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
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

std::set<std::string> libraries_of(const advice &a, places &names) {
    std::set<std::string> libraries;
    for (const std::uint32_t site : a.sites) libraries.insert(names.library_of(names.maker(site)));
    libraries.erase("");
    return libraries;
}

template <class Condition>
void count_others(advice &a, const findings &known, Condition comes_by_hook) {
    const std::set<std::uint32_t> own(a.sites.begin(), a.sites.end());
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || own.contains(site)) continue;
        const std::uint32_t depth =
            a.function == 0 ? 0 : known.tree.depth_of_call(site, a.function);
        if ((a.function != 0 && depth == 0) || !comes_by_hook(site)) continue;
        a.others_by_hook += s.objects;
        a.other_bytes_by_hook += s.bytes;
        a.others_outliving += escaping_from(s, depth).objects;
    }
}

} // namespace

void forget_hook(advice &a) {
    a.wrappers.clear();
    a.others_by_hook = a.other_bytes_by_hook = a.others_outliving = 0;
}

void add_hook(advice &a, const findings &known, places &names) {
    if (a.what != remedy::arena) return;
    if (a.in_library) {
        const std::set<std::string> libraries = libraries_of(a, names);
        count_others(a, known, [&](std::uint32_t site) {
            return libraries.contains(names.library_of(names.maker(site)));
        });
    } else {
        a.wrappers = wrappers_of(a, names);
        if (a.wrappers.empty()) return;
        std::set<wrapper_key> keys;
        for (const source_place &w : a.wrappers) keys.insert(key_of(w));
        count_others(a, known, [&](std::uint32_t site) {
            return keys.contains(key_of(names.wrapper(site)));
        });
        // What calls malloc can't tell those that outlive the arena from the others.
        if (a.others_outliving != 0) return forget_hook(a);
    }
    constexpr std::uint64_t header_bytes = 16; // that <toft/current.h> puts before each object
    a.peak_percent = peak_percent_of(a.region_peak_bytes + header_bytes * a.most_in_a_life,
                                     a.malloc_peak_bytes, known);
}

} // namespace toft::lab
