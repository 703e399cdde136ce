// SPDX-License-Identifier: MIT
#include "candidates.hpp"
#include "others.hpp"
#include "place_text.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

namespace toft::lab {
namespace {

constexpr std::size_t most_lines = 100; // for each, which is more than a person reads

// An object that one call makes and the next one frees seems to die in its call where no event in
// between tells the two calls apart. There is one call of main, and one whole life of a thread; of
// no other function is it known.
bool tells_calls_apart(const advice &a) { return a.function == 0 || a.scope.function == "main"; }

bool has_an_end(const advice &a) { return goes_at_once(a) || a.what == remedy::reap; }

// What is advised has no escapes among its own objects, and what is left may have no others.
bool is_asked_for(const advice &a, std::uint32_t site) {
    return a.what != remedy::leave ||
           std::find(a.sites.begin(), a.sites.end(), site) != a.sites.end();
}

} // namespace

escaping_count outliving(const advice &a, std::uint32_t site, const site_lifetimes &s,
                         std::uint32_t depth) {
    const auto left = a.left_over.find(site);
    const escaping_count of_life = left == a.left_over.end() ? escaping_count{} : left->second;
    // What another thread frees has no scope, and outlives the arena of its thread's whole life.
    if (depth == 0 && (a.function != 0 || !has_an_end(a))) return of_life;
    const escaping_count of_call = escaping_from(s, depth);
    return of_call.objects < of_life.objects ? of_life : of_call;
}

void add_escapes(advice &a, const findings &known, places &names) {
    std::map<shown_key, escaping_objects> lines;
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || !is_asked_for(a, site)) continue;
        const std::uint32_t depth = depth_in_scope(a, known.tree, site);
        const escaping_count escaping = outliving(a, site, s, depth);
        if (escaping.objects == 0) continue;
        made_objects made = names.maker(site);
        if (!names.can_be_changed(made)) continue;
        escaping_objects &line = lines[shown_key_of(made.by)];
        if (line.escaping == 0) {
            line.made = std::move(made);
            if (escaping.freed_at != 0) line.freed_by = names.caller(escaping.freed_at);
        }
        add(line.made, s);
        line.escaping += escaping.objects;
        a.escaping += escaping.objects;
    }
    for (auto &[key, found] : lines) {
        escaping_objects line = std::move(found);
        line.at_least = !tells_calls_apart(a) && line.escaping < line.made.objects;
        line.same_line = a.what != remedy::leave &&
                         std::any_of(a.made.begin(), a.made.end(), [&](const made_objects &m) {
                             return same_place(m.by, line.made.by);
                         });
        a.escapes.push_back(std::move(line));
    }
    a.may_escape_unseen = a.what != remedy::leave && !tells_calls_apart(a);
    std::stable_sort(a.escapes.begin(), a.escapes.end(), [](const auto &x, const auto &y) {
        return std::pair(x.same_line, x.escaping) > std::pair(y.same_line, y.escaping);
    });
    if (a.escapes.size() <= most_lines) return;
    a.more_escapes = a.escapes.size() - most_lines;
    a.escapes.resize(most_lines);
}

std::vector<freeing_line> freeing_lines(const findings &known, places &names) {
    std::map<shown_key, freeing_line> by_key;
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site)
        for (const scope_share &share : known.all.sites[site].scopes) {
            if (share.freed_at == 0) continue;
            source_place place = names.caller(share.freed_at);
            freeing_line &line = by_key[shown_key_of(place)];
            line.place = std::move(place);
            line.objects_of.emplace_back(site, share.objects);
        }
    std::vector<freeing_line> lines;
    for (auto &[key, line] : by_key) lines.push_back(std::move(line));
    return lines;
}

void add_frees(advice &a, const std::vector<freeing_line> &all) {
    constexpr std::size_t most_told = 3;
    if (!goes_at_once(a)) return;
    const std::set<std::uint32_t> own(a.sites.begin(), a.sites.end());
    std::vector<std::pair<std::uint64_t, const freeing_line *>> lines; // with the objects they free
    for (const freeing_line &line : all) {
        std::uint64_t objects = 0;
        bool frees_others = false;
        for (const auto &[site, freed] : line.objects_of)
            if (own.contains(site))
                objects += freed;
            else
                frees_others = true;
        if (objects == 0) continue;
        lines.emplace_back(objects, &line);
        a.frees_others |= frees_others;
    }
    std::ranges::stable_sort(lines, std::ranges::greater{}, &decltype(lines)::value_type::first);
    for (const auto &[objects, line] : lines | std::views::take(most_told))
        a.freed_by.push_back(line->place);
    a.more_freeing = lines.size() - a.freed_by.size();
}

// A few large objects can be most of the memory: who reads the first lines reads of theirs.
void put_makers_in_order(std::vector<made_objects> &made) {
    std::ranges::stable_sort(made, std::ranges::greater{}, &made_objects::objects);
    const auto most = std::ranges::max_element(made, {}, &made_objects::bytes);
    if (most - made.begin() < static_cast<std::ptrdiff_t>(told_lines)) return;
    std::rotate(made.begin() + told_lines - 1, most, most + 1);
}

void merge_alike_makers(advice &a) {
    std::map<std::pair<shown_key, std::vector<std::string>>, std::size_t> known;
    std::vector<made_objects> merged;
    for (made_objects &m : a.made) {
        std::vector<std::string> way;
        for (const source_place &p : m.way) way.push_back(short_name(p.function));
        const auto [at, is_new] =
            known.try_emplace({shown_key_of(m.by), std::move(way)}, merged.size());
        if (is_new)
            merged.push_back(std::move(m));
        else
            add(merged[at->second], m);
    }
    if (merged.size() != a.made.size()) put_makers_in_order(merged);
    a.made = std::move(merged);
}

void shorten_makers(advice &a) {
    if (a.made.size() <= most_lines) return;
    a.more_makers = a.made.size() - most_lines;
    a.made.resize(most_lines);
}

} // namespace toft::lab
