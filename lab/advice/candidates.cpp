// SPDX-License-Identifier: MIT
#include "candidates.hpp"

#include "cost_model.hpp"
#include "place_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace toft::lab {
namespace {

constexpr std::uint64_t largest_on_stack = 1024, most_on_stack = 4;

// The sites' figures together, and by the line that makes them.
void add_sites(advice &a, const std::vector<std::uint32_t> &sites, const findings &known,
               places &names) {
    std::map<line_key, made_objects> lines;
    std::map<line_key, std::uint64_t> most; // objects of a line's site
    made_objects total;
    std::uint64_t first_ns = UINT64_MAX, last_ns = 0, in_library = 0;
    for (const std::uint32_t site : sites) {
        const site_lifetimes &s = known.all.sites[site];
        made_objects made = names.maker(site);
        if (names.is_in_library(made)) in_library += s.objects;
        const line_key key = line_key_of(made.by);
        made_objects &line = lines.try_emplace(key, made).first->second;
        // A line's ways may differ: the way that is told is that of most objects.
        if (std::uint64_t &known_most = most[key]; s.objects > known_most) {
            known_most = s.objects;
            line.way = std::move(made.way);
            line.node = made.node;
        }
        add(line, s);
        add(total, s);
        a.never_freed += s.never_freed;
        a.growths += s.resizes + s.regrown;
        a.resizes += s.resizes;
        first_ns = std::min(first_ns, s.first_ns);
        last_ns = std::max(last_ns, s.last_ns);
    }
    a.sites = sites;
    a.objects = total.objects;
    a.bytes = total.bytes;
    a.smallest = total.smallest;
    a.largest = total.largest;
    a.zeroed = total.zeroed;
    a.alignment = total.alignment;
    a.in_library = in_library * 2 > total.objects;
    // Made all the time, and nine in ten or more never freed. What a program sets up at its start
    // isn't.
    const bool are_kept = a.never_freed * 10 >= a.objects * 9 && a.objects >= 100;
    a.grows_until_exit = are_kept && last_ns > first_ns && first_ns < known.all.last_ns / 4 &&
                         last_ns > known.all.last_ns / 4 * 3;
    for (auto &[key, line] : lines) a.made.push_back(std::move(line));
    put_makers_in_order(a.made);
}

std::vector<std::uint32_t> nodes_of(const std::vector<owned_site> &sites) {
    std::vector<std::uint32_t> nodes;
    for (const owned_site &s : sites) nodes.push_back(s.site);
    return nodes;
}

// The line of the scope's function from which most of the objects are freed.
source_place end_of(const std::vector<owned_site> &sites, const findings &known, places &names) {
    std::map<std::uint32_t, std::uint64_t> votes;
    for (const owned_site &s : sites) {
        if (s.scope == 0) continue;
        const std::uint32_t depth = known.tree[s.scope].depth;
        for (const scope_share &share : known.all.sites[s.site].scopes)
            if (share.freed_at != 0 && known.tree[share.freed_at].depth >= depth)
                votes[known.tree.ancestor(share.freed_at, depth)] += share.objects;
    }
    const auto most =
        std::max_element(votes.begin(), votes.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == votes.end() ? source_place{} : names.line_of(most->first);
}

// How many calls of the region's function there were, from all places that call it.
std::uint64_t calls_of(const std::vector<owned_site> &sites, const findings &known) {
    std::set<std::uint32_t> frames;
    for (const owned_site &s : sites)
        if (s.scope != 0) frames.insert(known.tree[s.scope].frame);
    std::uint64_t calls = 0;
    for (const std::uint32_t frame : frames) calls += known.all.calls[frame];
    return calls;
}

advice in_scope_of(const found_region &r, const std::vector<owned_site> &sites,
                   const findings &known, places &names) {
    advice a;
    a.function = r.function;
    add_sites(a, nodes_of(sites), known, names);
    a.scope = names.function_of(r.function);
    a.end = end_of(sites, known, names);
    a.by_thread = r.whole_most_threads > 1;
    return a;
}

// Where the model's high end is more than the whole program takes, its constants are too high for
// this program by that factor at least. So is its low end then.
void set_gain(advice &a, interval saved_ns, const findings &known) {
    const double most_ns = known.processor_ns.high * most_percent / 100;
    if (saved_ns.high > most_ns) saved_ns.low *= most_ns / saved_ns.high;
    a.cpu_percent = percent_of(saved_ns, known.processor_ns);
}

interval with_alignment(interval saved_ns, const advice &a, const findings &known) {
    std::uint64_t aligned = 0;
    for (const std::uint32_t site : a.sites) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.alignment > malloc_alignment) aligned += s.objects;
    }
    const interval more = aligned_gain(aligned);
    return {saved_ns.low + more.low, saved_ns.high + more.high};
}

bool is_beyond_best_malloc(double saved_ns, const findings &known) {
    return middle(percent_of({saved_ns, saved_ns}, known.processor_ns)) >= least_beyond_best_malloc;
}

// Not where the arena would live longer by them, take twice the program's memory, or hardly hold
// more.
std::optional<left_out_objects> left_out_of(const found_region &r, const findings &known) {
    left_out_objects out;
    out.sites = nodes_of(r.bloating);
    for (const std::uint32_t site : out.sites) out.objects += known.all.sites[site].objects;
    out.peak_percent = peak_percent_of(r.whole_arena_peak_bytes, r.whole_malloc_peak_bytes, known);
    const bool bounded = r.whole_lives == r.lives && out.peak_percent.low > -100;
    if (!bounded || out.objects * 10 < r.objects) return std::nullopt;
    return out;
}

// What a garbage collector frees dies when that runs, whichever call is going on then. Empty: most
// objects of these sites die otherwise.
std::string reason_of_collector(const std::vector<owned_site> &sites, const findings &known,
                                places &names) {
    std::uint64_t collected = 0, objects = 0, most = 0;
    std::string collector;
    for (const owned_site &s : sites) {
        const std::uint32_t depth = known.tree[s.scope].depth;
        for (const scope_share &share : known.all.sites[s.site].scopes) {
            objects += share.objects;
            if (share.freed_at == 0) continue;
            const source_place by = names.collector(share.freed_at, depth);
            if (by.function.empty()) continue;
            collected += share.objects;
            if (share.objects > most) most = share.objects, collector = place_text(by);
        }
    }
    if (collected * 2 < objects || collected == 0) return {};
    return collector + " frees " + (collected == objects ? "them" : "most of them") +
           ", as a garbage collector does: they die when that runs, wherever the program is then";
}

// A region whose objects an arena, or a buffer on the stack, can take.
advice of_region(const found_region &r, const findings &known, places &names) {
    advice a = in_scope_of(r, r.sites, known, names);
    a.lives = r.lives;
    a.calls = calls_of(r.sites, known) + r.threads;
    a.most_in_a_life = r.most_objects;
    a.most_bytes_in_a_life = r.most_bytes;
    a.most_at_once = r.most_at_once;
    a.region_peak_bytes = r.arena_peak_bytes;
    a.malloc_peak_bytes = r.malloc_peak_bytes;
    const bool small = r.most_objects <= most_on_stack && room_for_a_life(a) <= largest_on_stack;
    a.what = small && r.function != 0 ? remedy::inline_buffer : remedy::arena;
    a.cpp = names.is_cpp(r.function, a.sites);
    const interval saved_ns = arena_gain(r, a.objects - a.never_freed, a.cpp);
    set_gain(a, with_alignment(saved_ns, a, known), known);
    if (known.is_cut && r.function == 0 && a.never_freed != 0) {
        a.what = remedy::leave;
        a.why = "the recording has no end, and " +
                std::string(a.never_freed == a.objects ? "they" : "some of them") +
                " were alive there: when those die isn't known";
    }
    if (std::string why = reason_of_collector(r.sites, known, names); !why.empty()) {
        a.what = remedy::leave;
        a.why = std::move(why);
    }
    a.peak_percent = peak_percent_of(r.arena_peak_bytes, r.malloc_peak_bytes, known);
    if (a.what == remedy::arena) a.left_out = left_out_of(r, known);
    return a;
}

// What would bloat an arena, but not a reap, which reuses what was freed.
advice of_bloating(const found_region &r, const findings &known, places &names) {
    advice a = in_scope_of(r, r.bloating, known, names);
    std::uint64_t peak_live = 0;
    for (const owned_site &s : r.bloating) peak_live += known.all.sites[s.site].peak_live;
    a.what = remedy::reap;
    set_gain(a, with_alignment(reap_gain(a.objects, peak_live), a, known), known);
    if (!is_beyond_best_malloc(reap_beyond_best_malloc(a.objects), known)) {
        a.what = remedy::leave;
        a.why = "they come and go one by one: an arena would keep the dead, and a reap would gain "
                "little beyond what a faster malloc gains";
    }
    return a;
}

struct line_of_sites {
    std::vector<std::uint32_t> sites;
    std::uint64_t objects = 0, moves = 0, growths_in_place = 0, copied_bytes = 0;
};

// The sites that the condition holds for, by the line that makes their objects.
template <class Condition>
std::map<line_key, line_of_sites> lines_where(const findings &known, places &names,
                                              Condition condition) {
    std::map<line_key, line_of_sites> lines;
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || !condition(site, s)) continue;
        const made_objects made = names.maker(site);
        if (!names.can_be_changed(made)) continue;
        line_of_sites &line = lines[line_key_of(made.by)];
        line.sites.push_back(site);
        line.objects += s.objects;
        line.moves += s.moves + s.regrown;
        line.growths_in_place += s.resizes - s.moves;
        line.copied_bytes += s.copied_bytes;
    }
    return lines;
}

void add_reserves(std::vector<advice> &to, const findings &known, places &names) {
    const auto it_grows = [](std::uint32_t, const site_lifetimes &s) { return grows(s); };
    for (auto &[key, line] : lines_where(known, names, it_grows)) {
        advice a;
        a.what = remedy::reserve;
        add_sites(a, line.sites, known, names);
        set_gain(a, reserve_gain(line.moves, line.growths_in_place, line.copied_bytes), known);
        to.push_back(std::move(a));
    }
}

void add_pools(std::vector<advice> &to, const findings &known, places &names) {
    const auto handed_on = [&](std::uint32_t site, const site_lifetimes &s) {
        return s.scope() == no_scope && !known.of_library.contains(site);
    };
    for (auto &[key, line] : lines_where(known, names, handed_on)) {
        advice a;
        add_sites(a, line.sites, known, names);
        std::uint64_t objects = 0;
        for (const std::uint32_t site : line.sites)
            for (const scope_share &s : known.all.sites[site].scopes)
                if (s.depth == no_scope) objects += s.objects;
        set_gain(a, pool_gain(objects), known);
        const bool pays = is_beyond_best_malloc(pool_beyond_best_malloc(objects), known);
        a.what = pays ? remedy::pool : remedy::leave;
        a.why = "another thread frees them, so no region can hold them";
        to.push_back(std::move(a));
    }
}

// How many of the site's objects live on when the call at that depth returns.
std::uint64_t survivors_of(const site_lifetimes &s, std::int32_t depth) {
    std::uint64_t objects = 0;
    for (const scope_share &share : s.scopes)
        if (share.depth < depth) objects += share.objects;
    return objects;
}

constexpr std::uint64_t hardly_any = 100; // one object in so many

// Most objects of these sites die in a call of one function, but not all of them. So no region can
// be there; but the programmer may find out why some live on.
void add_near_misses(std::vector<advice> &to, const findings &known, places &names) {
    std::unordered_set<std::uint32_t> taken;
    for (const found_region &r : known.regions)
        for (const owned_site &s : r.sites) taken.insert(s.site);
    std::map<stack_tree::function, std::vector<std::uint32_t>> missed;
    std::map<stack_tree::function, std::uint32_t> frames;
    std::map<stack_tree::function, std::uint64_t> survivors;
    for (std::uint32_t site = 0; site != known.all.sites.size(); ++site) {
        const site_lifetimes &s = known.all.sites[site];
        if (s.objects == 0 || taken.contains(site)) continue;
        const auto most =
            std::max_element(s.scopes.begin(), s.scopes.end(),
                             [](const auto &a, const auto &b) { return a.objects < b.objects; });
        if (most->depth <= std::max(s.scope(), 0) || most->objects * 2 < s.objects) continue;
        std::uint32_t frame = known.tree.ancestor(site, static_cast<std::uint32_t>(most->depth));
        while (frame != 0 && !names.can_be_changed(frame)) frame = known.tree[frame].parent;
        if (frame == 0 || !names.can_be_changed(names.maker(site))) continue;
        const stack_tree::function in = known.tree.function_of(frame);
        missed[in].push_back(site);
        frames[in] = known.tree[frame].frame;
        survivors[in] += survivors_of(s, most->depth);
    }
    for (const auto &[in, sites] : missed) {
        advice a;
        a.function = frames[in];
        add_sites(a, sites, known, names);
        a.scope = names.function_of(a.function);
        set_gain(a, with_alignment(reap_gain(a.objects, a.objects), a, known), known);
        // That hardly any object stands in a region's way is worth more than any other reason to
        // leave them, and that many do is worth less.
        a.reason_rank = survivors[in] * hardly_any <= a.objects ? 0 : 2;
        a.why = "most of them die there, but not all: an arena would take the memory of those that "
                "live on";
        to.push_back(std::move(a));
    }
}

// Leaves these of the advice's sites, and their figures.
void keep_sites(advice &a, const std::vector<std::uint32_t> &sites, const findings &known,
                places &names) {
    const auto objects = static_cast<double>(a.objects);
    a.never_freed = a.growths = a.resizes = 0;
    a.made.clear();
    add_sites(a, sites, known, names);
    const double share = static_cast<double>(a.objects) / objects;
    a.cpu_percent = {a.cpu_percent.low * share, a.cpu_percent.high * share};
}

} // namespace

interval peak_percent_of(std::uint64_t arena_peak_bytes, std::uint64_t malloc_peak_bytes,
                         const findings &known) {
    const auto arena = static_cast<double>(arena_peak_bytes);
    const auto heap = static_cast<double>(malloc_peak_bytes);
    const double whole = std::max({static_cast<double>(known.all.peak_live_bytes), heap, 1.0});
    const double percent = (heap - arena) / whole * 100;
    return {std::min(percent, 0.0), std::max(percent, 0.0)};
}

std::vector<advice> candidates_of(const findings &known, places &names) {
    std::vector<advice> all;
    // What can't gain a thousandth of the program's time needn't be looked at.
    const double least_objects =
        known.processor_ns.low / 1000 / (cost::cold_pair.high + cost::teardown_in_cpp.high);
    for (const found_region &r : known.regions) {
        std::uint64_t bloating = 0;
        for (const owned_site &s : r.bloating) bloating += known.all.sites[s.site].objects;
        if (!r.sites.empty() && static_cast<double>(r.objects) >= least_objects &&
            !mostly_grow(r.sites, known.all))
            all.push_back(of_region(r, known, names));
        if (static_cast<double>(bloating) >= least_objects)
            all.push_back(of_bloating(r, known, names));
    }
    add_near_misses(all, known, names);
    add_reserves(all, known, names);
    add_pools(all, known, names);
    return all;
}

void leave_once(std::vector<advice> &lines, const findings &known, places &names) {
    std::vector<advice *> order;
    for (advice &a : lines) order.push_back(&a);
    std::stable_sort(order.begin(), order.end(), [](const advice *a, const advice *b) {
        const bool left_a = a->what == remedy::leave, left_b = b->what == remedy::leave;
        return left_a != left_b ? left_b : left_a && a->reason_rank < b->reason_rank;
    });
    std::unordered_set<std::uint32_t> told;
    for (advice *a : order) {
        std::vector<std::uint32_t> rest = a->sites;
        if (a->what == remedy::leave)
            std::erase_if(rest, [&](std::uint32_t site) { return told.contains(site); });
        told.insert(a->sites.begin(), a->sites.end());
        if (rest.size() != a->sites.size()) keep_sites(*a, rest, known, names);
    }
    std::erase_if(lines, [](const advice &a) { return a.sites.empty(); });
}

} // namespace toft::lab
