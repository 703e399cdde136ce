// SPDX-License-Identifier: MIT
#include "region_run.hpp"

#include "advice.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

std::uint64_t up_to(std::uint64_t bytes, std::uint64_t alignment) {
    const std::uint64_t below = std::max<std::uint64_t>(alignment, 1) - 1; // a power of two, or 0
    return (bytes + below) & ~below;
}

std::uint64_t rounded(std::uint64_t bytes) { return up_to(bytes, 8); }

} // namespace

region_run::region_run(std::vector<region_figures> &figures, const std::vector<choice> &chosen,
                       const std::vector<std::uint32_t> &sites)
    : figures_(figures),
      chosen_(chosen),
      sites_(sites),
      last_streams_(chosen.size()),
      totals_(figures.size()) {}

void region_run::take(const heap_event &e) {
    switch (e.call) {
    case heap_call::allocate:
        return allocate(e);
    case heap_call::resize:
        return resize(e);
    case heap_call::free:
        return end(live_.find(e.address));
    }
}

std::uint32_t region_run::instance_of(std::uint32_t thread, const choice &c) {
    // Calls of one frame belong to one region, so its number needn't be in the key. Only one group
    // has the whole lives of threads, frame 0, so they need no number either.
    const std::uint64_t key = key_of_thread(thread, c.scope);
    if (const std::uint32_t *known = instances_by_frame_.find(key)) return *known;
    const auto next = static_cast<std::uint32_t>(instances_.size());
    instances_.push_back({});
    instances_.back().region = c.region;
    totals_[c.region].threads += c.scope == 0 ? 1 : 0;
    return instances_by_frame_.insert(key, next);
}

std::uint32_t region_run::stream_of(std::uint32_t thread, std::uint32_t site) {
    last_stream &last = last_streams_[site];
    if (last.thread != thread) last = {thread, find_stream(thread, site)};
    return last.index;
}

std::uint32_t region_run::find_stream(std::uint32_t thread, std::uint32_t site) {
    const std::uint64_t key = key_of_thread(thread, site);
    if (const std::uint32_t *known = streams_by_site_.find(key)) return *known;
    const auto next = static_cast<std::uint32_t>(streams_.size());
    streams_.push_back({});
    streams_.back().site = site;
    streams_.back().at = instance_of(thread, chosen_[site]);
    totals_[chosen_[site].region].streams.push_back(next);
    return streams_by_site_.insert(key, next);
}

// Objects that are aligned alike follow each other.
std::uint64_t region_run::in_arena(const object &o) { return up_to(rounded(o.bytes), o.alignment); }

// glibc: a word before each object, multiples of 16, at least 32.
std::uint64_t region_run::in_malloc(const object &o) {
    if (o.bytes == 0) return 0;
    const std::uint64_t chunk = (o.bytes + 8 + 15) & ~std::uint64_t{15};
    return up_to(std::max<std::uint64_t>(32, chunk), o.alignment);
}

void region_run::take_bytes(stream &s, std::uint64_t bytes, std::uint64_t asked_bytes) {
    instance &in = instances_[s.at];
    if (s.life != in.life) s.life = in.life, s.arena_bytes = 0;
    s.arena_bytes += bytes;
    in.arena_bytes += bytes;
    in.asked_bytes += asked_bytes;
    totals_[in.region].arena_bytes += bytes;
    figures_[in.region].most_bytes = std::max(figures_[in.region].most_bytes, in.asked_bytes);
}

void region_run::need(stream &s, const object &o, const object &instead_of) {
    totals &t = totals_[instances_[s.at].region];
    s.needed_bytes += in_arena(o) - in_arena(instead_of);
    t.needed_bytes += in_arena(o) - in_arena(instead_of);
    t.malloc_bytes += in_malloc(o) - in_malloc(instead_of);
}

// Looks whether the region has reached a new peak, and who bloats it then.
void region_run::watch(std::uint32_t region) {
    totals &t = totals_[region];
    t.needed_peak_bytes = std::max(t.needed_peak_bytes, t.needed_bytes);
    t.malloc_peak_bytes = std::max(t.malloc_peak_bytes, t.malloc_bytes);
    if (t.arena_bytes <= t.arena_peak_bytes) return;
    t.arena_peak_bytes = t.arena_bytes;
    // A picture whenever the peak has grown by another twentieth: each is a look at all streams.
    if (t.arena_bytes <= allowed_peak_bytes(t.needed_peak_bytes, t.lives_at_once) ||
        t.arena_bytes <= t.pictured_bytes + t.pictured_bytes / 20)
        return;
    t.pictured_bytes = t.arena_bytes;
    t.bloat.clear();
    for (const std::uint32_t i : t.streams) {
        const stream &s = streams_[i];
        const bool current = s.life == instances_[s.at].life;
        t.bloat.push_back({s.site, current ? s.arena_bytes : 0, s.needed_bytes});
    }
}

void region_run::finish() {
    for (std::size_t i = 0; i != totals_.size(); ++i) {
        totals &t = totals_[i];
        region_figures &f = figures_[i];
        f.arena_peak_bytes = std::max(f.arena_peak_bytes, t.arena_peak_bytes);
        f.needed_peak_bytes = std::max(f.needed_peak_bytes, t.needed_peak_bytes);
        f.malloc_peak_bytes = std::max(f.malloc_peak_bytes, t.malloc_peak_bytes);
        f.lives_at_once = std::max(f.lives_at_once, t.lives_at_once);
        f.threads += t.threads;
        f.most_threads = std::max(f.most_threads, t.threads);
        if (t.arena_peak_bytes <= allowed_peak_bytes(t.needed_peak_bytes, t.lives_at_once))
            continue;
        if (!f.bloat.empty() && t.needed_peak_bytes <= f.bloated_need_bytes) continue;
        f.bloated_need_bytes = t.needed_peak_bytes;
        f.bloat = std::move(t.bloat);
    }
}

void region_run::begin_life(std::uint32_t region) {
    totals &t = totals_[region];
    ++figures_[region].lives;
    t.lives_at_once = std::max(t.lives_at_once, ++t.lives);
}

// Each is a look at all streams.
void region_run::note_ebb(std::uint32_t at) {
    constexpr std::uint64_t most_in_vain = 100;
    instance &in = instances_[at];
    in.ebbed = false;
    in.most_live = in.live;
    region_figures &f = figures_[in.region];
    if (f.ebbs_in_vain == most_in_vain) return;
    const std::size_t known = f.left_at_ebbs.size();
    for (const std::uint32_t i : totals_[in.region].streams)
        if (streams_[i].at == at && streams_[i].live != 0) f.left_at_ebbs.insert(streams_[i].site);
    if (f.left_at_ebbs.size() == known) ++f.ebbs_in_vain;
}

void region_run::allocate(const heap_event &e) {
    const std::uint32_t site = sites_[e.stack];
    const choice &c = chosen_[site];
    // An object at this address has gone where nobody saw it.
    if (object *lost = live_.find(e.address)) end(lost);
    if (c.region == none || e.address == 0) return;
    const std::uint32_t from = stream_of(e.thread, site);
    stream &s = streams_[from];
    instance &in = instances_[s.at];
    region_figures &f = figures_[c.region];
    if (in.ebbed) note_ebb(s.at);
    if (in.live++ == 0) begin_life(in.region);
    in.most_live = std::max(in.most_live, in.live);
    f.most_objects = std::max(f.most_objects, ++in.made);
    f.most_at_once = std::max(f.most_at_once, ++totals_[c.region].made);
    ++f.objects;
    const object made{e.bytes, from, e.alignment > malloc_alignment ? e.alignment : 0};
    live_.insert(e.address, made);
    ++s.live;
    in.last_address = e.address;
    take_bytes(s, in_arena(made), rounded(e.bytes));
    need(s, made, {});
    watch(c.region);
}

void region_run::resize(const heap_event &e) {
    object *found = live_.find(e.old_address);
    if (!found) {
        // An object that was made before the recording began, or one of another site.
        if (object *lost = live_.find(e.address)) end(lost);
        return;
    }
    const object o = *found;
    live_.erase(found);
    if (object *lost = live_.find(e.address)) end(lost);
    stream &s = streams_[o.from];
    instance &in = instances_[s.at];
    const std::uint64_t old_bytes = rounded(o.bytes), new_bytes = rounded(e.bytes);
    const bool last = in.last_address == e.old_address; // which grows in place
    if (new_bytes > old_bytes) {
        const std::uint64_t more = last ? new_bytes - old_bytes : new_bytes;
        take_bytes(s, more, more);
        in.last_address = e.address;
    } else if (last) {
        in.last_address = e.address;
    }
    const object resized{e.bytes, o.from}; // realloc keeps no alignment
    need(s, resized, o);
    live_.insert(e.address, resized);
    watch(in.region);
}

void region_run::end(object *found) {
    if (!found) return;
    stream &s = streams_[found->from];
    instance &in = instances_[s.at];
    need(s, {}, *found);
    --s.live;
    live_.erase(found);
    constexpr std::uint64_t hardly_any = 64; // one object of so many
    in.ebbed = --in.live * hardly_any <= in.most_live;
    if (in.live != 0) return;
    in.ebbed = false;
    in.most_live = 0;
    --totals_[in.region].lives;
    totals_[in.region].arena_bytes -= in.arena_bytes;
    totals_[in.region].made -= in.made;
    in.arena_bytes = in.asked_bytes = in.made = in.last_address = 0;
    ++in.life;
}

} // namespace toft::lab
