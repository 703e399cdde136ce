// SPDX-License-Identifier: MIT
#include "regions.hpp"

#include "region_run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace toft::lab {
namespace {

constexpr int most_passes = 3;
// In the passes after the first, regions with a smaller share of all objects aren't worth the time.
constexpr std::uint64_t least_share = 2000;

// Each thread has a stream of a site, and a site is dropped as a whole.
std::vector<site_bloat> by_site(const std::vector<site_bloat> &streams) {
    std::map<std::uint32_t, site_bloat> sites;
    for (const site_bloat &s : streams) {
        site_bloat &all = sites[s.site];
        all.site = s.site;
        all.arena_bytes += s.arena_bytes;
        all.needed_bytes += s.needed_bytes;
    }
    std::vector<site_bloat> bloat;
    for (const auto &[site, all] : sites) bloat.push_back(all);
    return bloat;
}

// The sites to drop: those with the most dead bytes in the picture, until what is left is within
// the bounds at that moment. What the rest needs at its peak is at least what it needs at that
// moment, and at least the whole peak less the peaks of those that were dropped.
std::unordered_set<std::uint32_t> sites_to_drop(const region_figures &f, const lifetimes &all) {
    std::vector<site_bloat> bloat = by_site(f.bloat);
    std::sort(bloat.begin(), bloat.end(), [](const site_bloat &a, const site_bloat &b) {
        return a.arena_bytes - std::min(a.arena_bytes, a.needed_bytes) >
               b.arena_bytes - std::min(b.arena_bytes, b.needed_bytes);
    });
    std::uint64_t arena_bytes = 0, needed_bytes = 0, peak_bytes = f.bloated_need_bytes;
    for (const site_bloat &b : bloat) arena_bytes += b.arena_bytes, needed_bytes += b.needed_bytes;
    std::unordered_set<std::uint32_t> dropped;
    for (const site_bloat &b : bloat) {
        if (arena_bytes <=
                allowed_peak_bytes(std::max(needed_bytes, peak_bytes), f.lives_at_once) &&
            !dropped.empty())
            break;
        dropped.insert(b.site);
        arena_bytes -= b.arena_bytes;
        needed_bytes -= b.needed_bytes;
        const site_lifetimes &s = all.sites[b.site];
        peak_bytes -= std::min(peak_bytes, s.peak_live_bytes + 7 * s.peak_live);
    }
    return dropped;
}

void drop(found_region &r, const std::unordered_set<std::uint32_t> &dropped) {
    std::erase_if(r.sites, [&](const owned_site &s) {
        const bool drops = dropped.contains(s.site);
        if (drops) r.bloating.push_back(s);
        return drops;
    });
}

void drop_all(found_region &r) {
    r.bloating.insert(r.bloating.end(), r.sites.begin(), r.sites.end());
    r.sites.clear();
}

void adopt(found_region &r, const region_figures &f) {
    r.objects = f.objects;
    r.lives = f.lives;
    r.most_objects = f.most_objects;
    r.most_bytes = f.most_bytes;
    r.most_at_once = f.most_at_once;
    r.lives_at_once = f.lives_at_once;
    r.threads = f.threads;
    r.arena_peak_bytes = f.arena_peak_bytes;
    r.needed_peak_bytes = f.needed_peak_bytes;
    r.malloc_peak_bytes = f.malloc_peak_bytes;
}

// By the first pass, which drops nothing yet.
void note_whole(found_region &r, const region_figures &f) {
    r.whole_lives = f.lives;
    r.whole_arena_peak_bytes = f.arena_peak_bytes;
    r.whole_malloc_peak_bytes = f.malloc_peak_bytes;
    r.whole_most_threads = f.most_threads;
}

// False: there is nothing more to look at.
bool drop_bloat(found_region &r, const region_figures &f, const lifetimes &all) {
    if (f.bloat.empty()) return false;
    drop(r, sites_to_drop(f, all));
    if (!r.sites.empty() && r.objects >= all.objects / least_share) return true;
    drop_all(r);
    return false;
}

// Few nodes of a large tree are chosen: these have numbers of their own, from 1.
struct site_numbers {
    std::vector<std::uint32_t> of_node;
    std::vector<std::uint32_t> nodes{0}; // by number

    void add(const std::vector<owned_site> &sites) {
        for (const owned_site &s : sites) {
            if (of_node[s.site] != 0) continue;
            of_node[s.site] = static_cast<std::uint32_t>(nodes.size());
            nodes.push_back(s.site);
        }
    }
};

// Regions that share no sites, and what was seen of them.
struct watched_regions {
    std::vector<const found_region *> regions;
    std::vector<region_run::choice> chosen = {}; // by the sites' numbers
    std::vector<region_figures> figures = {};

    void choose(const site_numbers &numbers) {
        chosen.resize(numbers.nodes.size());
        figures.resize(regions.size());
        for (std::uint32_t i = 0; i != regions.size(); ++i)
            for (const owned_site &s : regions[i]->sites)
                chosen[numbers.of_node[s.site]] = {i, s.scope};
    }

    void name_nodes(const site_numbers &numbers) {
        for (region_figures &f : figures) {
            for (site_bloat &b : f.bloat) b.site = numbers.nodes[b.site];
            std::set<std::uint32_t> left;
            for (const std::uint32_t site : f.left_at_ebbs) left.insert(numbers.nodes[site]);
            f.left_at_ebbs = std::move(left);
        }
    }
};

// Decoding the events and merging those of the threads is most of a pass: one is for all of these.
void watch(std::vector<watched_regions> &all, const stack_tree &tree,
           const each_recording &recordings) {
    site_numbers numbers{std::vector<std::uint32_t>(tree.size())};
    for (const watched_regions &w : all)
        for (const found_region *r : w.regions) numbers.add(r->sites);
    for (watched_regions &w : all) w.choose(numbers);
    recordings([&](const recording &r, const std::vector<std::uint32_t> &nodes) {
        std::vector<std::uint32_t> sites; // by stack
        sites.reserve(nodes.size());
        for (const std::uint32_t node : nodes) sites.push_back(numbers.of_node[node]);
        std::vector<region_run> runs;
        runs.reserve(all.size());
        for (watched_regions &w : all) runs.emplace_back(w.figures, w.chosen, sites);
        r.for_each([&](std::span<const heap_event> some) {
            for (region_run &events : runs) take_all(events, some);
        });
        for (region_run &events : runs) events.finish();
    });
    for (watched_regions &w : all) w.name_nodes(numbers);
}

std::vector<region_figures> run(const std::vector<found_region *> &open, const stack_tree &tree,
                                const each_recording &recordings) {
    std::vector<watched_regions> all{{{open.begin(), open.end()}}};
    watch(all, tree, recordings);
    return std::move(all.front().figures);
}

// The same region without what bridges its lives.
found_region without_bridges(const found_region &whole, const region_figures &f) {
    found_region r;
    r.function = whole.function;
    for (const owned_site &s : whole.sites)
        if (!f.left_at_ebbs.contains(s.site)) r.sites.push_back(s);
    return r;
}

// The same regions without what bridges their lives, of those that bloat.
using other_regions = std::map<found_region *, found_region>;

// Drops sites until each region is within the bounds.
other_regions settle(std::vector<found_region *> open, const lifetimes &all, const stack_tree &tree,
                     const each_recording &recordings) {
    other_regions others;
    for (int passes = 0; passes != most_passes && !open.empty(); ++passes) {
        const std::vector<region_figures> figures = run(open, tree, recordings);
        std::vector<found_region *> still_open;
        for (std::size_t i = 0; i != open.size(); ++i) {
            found_region &r = *open[i];
            const region_figures &f = figures[i];
            if (passes == 0) note_whole(r, f);
            if (passes == 0 && !f.bloat.empty() && !f.left_at_ebbs.empty())
                others.emplace(&r, without_bridges(r, f));
            adopt(r, f);
            if (drop_bloat(r, f, all)) still_open.push_back(&r);
        }
        open = std::move(still_open);
    }
    for (found_region *r : open) drop_all(*r); // what is left didn't settle
    return others;
}

std::vector<found_region> whole_regions(const std::vector<scope_group> &groups) {
    std::vector<found_region> regions;
    for (const scope_group &g : groups) {
        regions.push_back({});
        regions.back().function = g.function;
        regions.back().sites = g.sites;
    }
    return regions;
}

} // namespace

std::vector<found_region> find_regions(const std::vector<scope_group> &groups, const lifetimes &all,
                                       const stack_tree &tree, const each_recording &recordings) {
    std::vector<found_region> regions = whole_regions(groups);
    std::vector<found_region *> open;
    for (found_region &r : regions) open.push_back(&r);
    other_regions others = settle(open, all, tree, recordings);
    open.clear();
    for (auto &[r, other] : others) open.push_back(&other);
    settle(open, all, tree, recordings);
    for (auto &[r, other] : others)
        if (!other.sites.empty() && (r->sites.empty() || other.objects > r->objects))
            *r = std::move(other);
    return regions;
}

std::vector<found_region> regions_of(const std::vector<scope_group> &groups, const stack_tree &tree,
                                     const each_recording &recordings) {
    std::vector<found_region> regions = whole_regions(groups);
    std::vector<watched_regions> all;
    for (const found_region &r : regions) all.push_back({{&r}});
    watch(all, tree, recordings);
    for (std::size_t i = 0; i != regions.size(); ++i) adopt(regions[i], all[i].figures.front());
    return regions;
}

} // namespace toft::lab
