// SPDX-License-Identifier: MIT
#include "lifetimes.hpp"

#include "activations.hpp"
#include "record/address_map.hpp"
#include "record/take_all.hpp"

#include <algorithm>
#include <optional>

namespace toft::lab {
namespace {

// What recording an event costs the program, which isn't its own time: 52 to 91 ns were measured.
// For recordings that don't say it themselves.
constexpr std::uint64_t recorder_ns = 70;
constexpr std::uint64_t longest_step_ns = 1'000'000;

std::uint64_t without_recorder(std::uint64_t ns, std::uint64_t events) {
    return ns - std::min(ns / 5 * 4, events * recorder_ns);
}

struct live_object {
    std::uint64_t born = 0; // the event's number
    std::uint64_t bytes = 0;
    std::uint32_t site = 0;
    std::uint32_t thread = 0;
};

constexpr std::uint32_t several_threads = UINT32_MAX; // another than its own has resized it

struct thread_state {
    activations calls;
    std::uint64_t first_ns = 0, last_ns = 0, busy_ns = 0, events = 0;
    std::uint64_t allocated_bytes = 0; // by the event before, if that was an allocation
    std::uint32_t last_node = 0;       // of the event before
};

void count_end(site_lifetimes &site, std::int32_t depth, std::uint32_t freed_at) {
    auto share = std::find_if(site.scopes.begin(), site.scopes.end(),
                              [&](const scope_share &s) { return s.depth == depth; });
    if (share == site.scopes.end()) share = site.scopes.insert(share, {depth, 0, freed_at, 0});
    ++share->objects;
    // The majority's vote: it costs one counter, and is right where more than half agree.
    if (share->freed_at == freed_at)
        ++share->votes;
    else if (share->votes == 0)
        share->freed_at = freed_at, share->votes = 1;
    else
        --share->votes;
}

class pass {
  public:
    pass(lifetimes &into, const stack_tree &tree, const std::vector<std::uint32_t> &nodes,
         std::size_t threads)
        : into_(into),
          tree_(tree),
          nodes_(nodes),
          threads_(threads) {}

    void expect(const heap_event &e) const { live_.expect(looked_up_by(e)); } // soon

    void take(const heap_event &e) {
        ++moment_;
        thread_state &thread = threads_.at(e.thread);
        if (thread.events++ == 0) thread.first_ns = thread.last_ns = e.time_ns;
        thread.busy_ns += std::min(e.time_ns - thread.last_ns, longest_step_ns);
        thread.last_ns = e.time_ns;
        const std::uint32_t node = nodes_.at(e.stack);
        const std::uint32_t kept = thread.calls.see(tree_, node, moment_);
        for (std::uint32_t at = node; tree_[at].depth > kept; at = tree_[at].parent)
            ++into_.calls[tree_[at].frame];
        switch (e.call) {
        case heap_call::allocate:
            allocate(e, node);
            break;
        case heap_call::resize:
            resize(e, node);
            break;
        case heap_call::free:
            free(e, node, kept);
            break;
        }
        const bool allocated = e.call == heap_call::allocate;
        thread.allocated_bytes = allocated ? e.bytes : 0;
        thread.last_node = node;
    }

    void finish(const std::optional<program_time> &time, bool is_cut) {
        if (is_cut) end_with_others();
        live_.for_each([&](std::uint64_t, const live_object &o) { lose(o); });
        into_.events += moment_;
        into_.peak_live_bytes = std::max(into_.peak_live_bytes, peak_bytes_);
        program_time passed;
        std::uint64_t threads = 0;
        for (const thread_state &t : threads_) {
            if (t.events == 0) continue;
            ++threads;
            into_.last_ns = std::max(into_.last_ns, t.last_ns);
            passed.least_ns += without_recorder(t.busy_ns, t.events);
            passed.most_ns += without_recorder(t.last_ns - t.first_ns, t.events);
        }
        into_.threads = std::max(into_.threads, threads);
        into_.least_processor_ns += time.value_or(passed).least_ns;
        into_.most_processor_ns += time.value_or(passed).most_ns;
    }

  private:
    site_lifetimes &site(std::uint32_t node) { return into_.sites.made_by(node); }

    void add_live(std::uint32_t node, std::uint64_t bytes) {
        site_lifetimes &s = site(node);
        s.peak_live = std::max(s.peak_live, ++s.live);
        s.peak_live_bytes = std::max(s.peak_live_bytes, s.live_bytes += bytes);
        peak_bytes_ = std::max(peak_bytes_, bytes_ += bytes);
    }

    void remove_live(const live_object &o) {
        --site(o.site).live;
        site(o.site).live_bytes -= o.bytes;
        bytes_ -= o.bytes;
    }

    // Where the recording is cut: the call in which all others of its site died, and most of all,
    // goes on, and it hasn't lived longer than they did. Calls that can't be told apart look like
    // one, in which what has escaped would only seem to go on living.
    bool may_die_with_others(const live_object &o) const {
        const site_lifetimes &s = into_.sites[o.site];
        const std::int32_t scope = s.scope();
        return scope > 0 && o.thread != several_threads && s.objects >= 2 * s.live &&
               moment_ - o.born <= s.longest_life &&
               static_cast<std::int32_t>(threads_[o.thread].calls.depth_since(o.born)) >= scope;
    }

    // All are found before one is counted: that changes what is known of their sites.
    void end_with_others() {
        std::vector<std::uint64_t> addresses;
        live_.for_each([&](std::uint64_t address, const live_object &o) {
            if (may_die_with_others(o)) addresses.push_back(address);
        });
        for (const std::uint64_t address : addresses) {
            live_object *o = live_.find(address);
            ++std::ranges::min_element(site(o->site).scopes, {}, &scope_share::depth)->objects;
            remove_live(*o);
            live_.erase(o);
        }
    }

    // Nobody knows how it ended: it may have lived on.
    void lose(const live_object &o) {
        ++site(o.site).never_freed;
        count_end(site(o.site), o.thread == several_threads ? no_scope : 0, 0);
        remove_live(o);
    }

    void allocate(const heap_event &e, std::uint32_t node) {
        if (e.address == 0) return;
        if (live_object *lost = live_.find(e.address)) {
            lose(*lost);
            live_.erase(lost);
        }
        live_.insert(e.address, {moment_, e.bytes, node, e.thread});
        site_lifetimes &s = site(node);
        if (s.objects++ == 0) s.first_ns = e.time_ns;
        s.zeroed += e.zeroed ? 1 : 0;
        ++into_.objects;
        s.last_ns = e.time_ns;
        s.bytes += e.bytes;
        s.smallest = std::min(s.smallest, e.bytes);
        s.largest = std::max(s.largest, e.bytes);
        s.alignment = std::max(s.alignment, e.alignment);
        add_live(node, e.bytes);
    }

    // It stays its first site's object.
    void resize(const heap_event &e, std::uint32_t node) {
        live_object *found = live_.find(e.old_address);
        if (!found) return allocate(e, node);
        live_object o = *found;
        const std::uint64_t old_bytes = o.bytes;
        remove_live(o);
        live_.erase(found);
        if (o.thread != e.thread) o.thread = several_threads;
        o.bytes = e.bytes;
        site_lifetimes &s = site(o.site);
        ++s.resizes;
        if (s.resized_at != node) into_.resizers.emplace(o.site, node);
        s.resized_at = node;
        if (e.address != e.old_address) {
            ++s.moves;
            s.copied_bytes += copied_by_move(old_bytes, e.bytes);
        }
        s.bytes += e.bytes;
        s.largest = std::max(s.largest, e.bytes);
        add_live(o.site, e.bytes);
        if (live_object *lost = live_.find(e.address)) {
            lose(*lost);
            live_.erase(lost);
        }
        live_.insert(e.address, o);
    }

    void free(const heap_event &e, std::uint32_t node, std::uint32_t kept) {
        live_object *found = live_.find(e.address);
        if (!found) return;
        const live_object o = *found;
        live_.erase(found);
        remove_live(o);
        const thread_state &thread = threads_[e.thread];
        const bool foreign = o.thread != e.thread;
        const auto depth = static_cast<std::int32_t>(thread.calls.depth_since(o.born));
        count_end(site(o.site), foreign ? no_scope : depth, node);
        site(o.site).longest_life = std::max(site(o.site).longest_life, moment_ - o.born);
        if (is_growth(o.bytes, thread.allocated_bytes) &&
            is_in_one_function(thread.last_node, node, kept)) {
            ++site(o.site).regrown;
            site(o.site).copied_bytes += o.bytes;
        }
    }

    // Beyond this, mallocs ask the system to move pages, which copies nothing.
    static std::uint64_t copied_by_move(std::uint64_t from, std::uint64_t to) {
        constexpr std::uint64_t moved_as_pages = 128 << 10;
        const std::uint64_t kept = std::min(from, to);
        return kept < moved_as_pages ? kept : 0;
    }

    // As a container grows: what is many times as large is another object.
    static bool is_growth(std::uint64_t from, std::uint64_t to) {
        return from != 0 && to >= from + from / 3 && to / 4 <= from;
    }

    // Two calls of the heap, below a call at this depth: no more than one compiled function apart.
    bool is_in_one_function(std::uint32_t a, std::uint32_t b, std::uint32_t common) const {
        const std::uint32_t deeper = std::max(tree_[a].compiled_depth, tree_[b].compiled_depth);
        return tree_[tree_.ancestor(b, common)].compiled_depth + 1 >= deeper;
    }

    lifetimes &into_;
    const stack_tree &tree_;
    const std::vector<std::uint32_t> &nodes_;
    std::vector<thread_state> threads_;
    address_map<live_object> live_;
    std::uint64_t moment_ = 0, bytes_ = 0, peak_bytes_ = 0;
};

} // namespace

std::int32_t site_lifetimes::scope() const {
    const auto least =
        std::min_element(scopes.begin(), scopes.end(),
                         [](const auto &a, const auto &b) { return a.depth < b.depth; });
    return least == scopes.end() ? no_scope : least->depth;
}

bool grows(const site_lifetimes &s) {
    return s.resizes >= 2 * s.objects || s.regrown * 5 >= s.objects * 3;
}

escaping_count escaping_from(const site_lifetimes &s, std::uint32_t depth) {
    escaping_count found;
    std::uint64_t most = 0;
    for (const scope_share &share : s.scopes) {
        if (share.depth >= static_cast<std::int32_t>(depth)) continue;
        found.objects += share.objects;
        if (share.objects > most) most = share.objects, found.freed_at = share.freed_at;
    }
    return found;
}

void add_lifetimes(lifetimes &into, const recording &r, const stack_tree &tree,
                   const std::vector<std::uint32_t> &nodes) {
    into.sites.make_room(tree.size());
    into.calls.resize(tree.size());
    into.sampled |= r.sampled_bytes != 0;
    pass events(into, tree, nodes, r.threads.size());
    r.for_each([&](std::span<const heap_event> some) { take_all(events, some); });
    events.finish(r.time, !r.incomplete.empty());
}

} // namespace toft::lab
