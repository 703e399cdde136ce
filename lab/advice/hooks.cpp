// SPDX-License-Identifier: MIT
#include "hooks.hpp"

#include "candidates.hpp"
#include "making.hpp"
#include "others.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace toft::lab {
namespace {

using wrapper_key = std::pair<std::string, std::string>;
wrapper_key key_of(const source_place &p) { return {p.function, p.file}; }

struct found_wrapper {
    source_place place;
    std::uint64_t objects = 0;
};

// One object in a hundred decides nothing: it stays with malloc.
bool are_hardly_any(std::uint64_t objects, std::uint64_t of) {
    constexpr std::uint64_t many = 100;
    return objects * many <= of;
}

// Most of them: a library in C++ hardly has a hook, since its classes call that operator
// themselves.
bool come_by_new(const advice &a, const findings &known, places &names) {
    std::uint64_t objects = 0;
    for (const std::uint32_t site : a.sites)
        if (is_by_new(names.maker(site))) objects += known.all.sites[site].objects;
    return objects * 2 > a.objects;
}

std::uint64_t objects_made_in_scope(const advice &a) {
    std::uint64_t objects = 0;
    for (const made_objects &m : a.made)
        if (m.by.function == a.scope.function) objects += m.objects;
    return objects;
}

// None where few lines make the objects, or the region's own function makes many of them: those
// are as soon changed.
void find_wrappers(advice &a, const findings &known, places &names) {
    constexpr std::size_t many_lines = 4, few_wrappers = 3;
    if (a.made.size() < many_lines || !are_hardly_any(objects_made_in_scope(a), a.objects)) return;
    std::map<wrapper_key, found_wrapper> wrappers;
    for (const std::uint32_t site : a.sites) {
        const source_place wrapper = names.wrapper(site);
        found_wrapper &found = wrappers[key_of(wrapper)];
        found.place = wrapper;
        found.objects += known.all.sites[site].objects;
    }
    std::uint64_t by_wrappers = 0;
    std::erase_if(wrappers, [&](const auto &w) {
        return w.second.place.function.empty() || are_hardly_any(w.second.objects, a.objects);
    });
    for (const auto &[key, wrapper] : wrappers) by_wrappers += wrapper.objects;
    if (wrappers.size() > few_wrappers || !are_hardly_any(a.objects - by_wrappers, a.objects))
        return;
    for (auto &[key, wrapper] : wrappers) a.wrappers.push_back(std::move(wrapper.place));
    a.beside_hook = a.objects - by_wrappers;
}

std::set<std::string> libraries_of(const advice &a, places &names) {
    std::set<std::string> libraries;
    for (const std::uint32_t site : a.sites) libraries.insert(names.library_of(names.maker(site)));
    libraries.erase("");
    return libraries;
}

template <class Condition>
void count_others(advice &a, const findings &known, Condition comes_by_hook) {
    for_each_other_site(a, known, [&](std::uint32_t site, const site_lifetimes &s, auto depth) {
        if (!comes_by_hook(site)) return;
        const bool must_stay = known.of_library.contains(site);
        const std::uint64_t longer = must_stay ? s.objects : outliving(a, site, s, depth).objects;
        a.others_by_hook += s.objects;
        a.other_bytes_by_hook += s.bytes;
        a.others_outliving += longer;
        if (longer == 0) a.other_sites.push_back(site);
    });
}

} // namespace

void forget_hook(advice &a) {
    a.in_library = false;
    a.wrappers.clear();
    a.other_sites.clear();
    a.beside_hook = a.others_by_hook = a.other_bytes_by_hook = a.others_outliving = 0;
    a.others_of_lines = 0;
    a.peak_percent_with_others.reset();
}

void add_hook(advice &a, const findings &known, places &names) {
    if (a.what != remedy::arena) return;
    if (a.in_library) {
        if (come_by_new(a, known, names)) return forget_hook(a);
        const std::set<std::string> libraries = libraries_of(a, names);
        count_others(a, known, [&](std::uint32_t site) {
            return libraries.contains(names.library_of(names.maker(site)));
        });
        // For each of these another strategy would have to be current.
        if (!are_hardly_any(a.others_outliving, a.objects + a.others_by_hook))
            return forget_hook(a);
    } else {
        find_wrappers(a, known, names);
        if (a.wrappers.empty()) return;
        std::set<wrapper_key> keys;
        for (const source_place &w : a.wrappers) keys.insert(key_of(w));
        count_others(a, known, [&](std::uint32_t site) {
            return keys.contains(key_of(names.wrapper(site)));
        });
        // What calls malloc can't tell those that outlive the arena from the others.
        if (a.others_outliving != 0) return forget_hook(a);
    }
    a.peak_percent = peak_percent_of(a.region_peak_bytes + hook_header_bytes * a.most_at_once,
                                     a.malloc_peak_bytes, known);
}

bool forget_dear_hook(advice &a, const findings &known) {
    constexpr double twice_the_peak = -100; // percent that are saved
    if (!has_hook(a) || !a.peak_percent_with_others ||
        a.peak_percent_with_others->low >= twice_the_peak)
        return false;
    forget_hook(a);
    a.peak_percent = peak_percent_of(a.region_peak_bytes, a.malloc_peak_bytes, known);
    return true;
}

} // namespace toft::lab
