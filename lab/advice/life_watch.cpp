// SPDX-License-Identifier: MIT
#include "life_watch.hpp"

#include "others.hpp"
#include "record/address_map.hpp"
#include "record/take_all.hpp"
#include "sketch.hpp"

#include <map>
#include <optional>
#include <span>
#include <utility>

namespace toft::lab {
namespace {

enum class role : std::uint8_t { none, own, other };

struct watched_site {
    role what = role::none;
    std::uint32_t scope = 0; // the frame of the call in which the region would be
};

// By node of the tree.
std::vector<watched_site> sites_of(const advice &a, const findings &known) {
    std::vector<watched_site> sites(known.tree.size());
    for_each_other_site(a, known, [&](std::uint32_t site, const site_lifetimes &, auto) {
        sites[site] = {role::other, frame_in_scope(a, known.tree, site)};
    });
    for (const std::uint32_t site : a.sites)
        sites[site] = {role::own, frame_in_scope(a, known.tree, site)};
    return sites;
}

class life_watch {
  public:
    life_watch(std::vector<watched_site> sites, std::map<std::uint32_t, escaping_count> &left_over)
        : sites_(std::move(sites)),
          left_over_(left_over) {}

    // Nothing of one recording lives in the next.
    void begin(const std::vector<std::uint32_t> &nodes) {
        nodes_ = &nodes;
        live_ = {};
        instances_by_call_ = {};
        instances_.clear();
    }

    void expect(const heap_event &e) const { live_.expect(looked_up_by(e)); } // soon

    void take(const heap_event &e) {
        if (e.address == 0) return;
        const std::uint32_t node = (*nodes_)[e.stack];
        object *moved = e.call == heap_call::resize ? live_.find(e.old_address) : nullptr;
        std::optional<object> stays;
        if (moved) {
            // An arena that is to resize it looks at it, and was reset.
            note(*moved, node);
            stays = *moved;
            live_.erase(moved);
        }
        if (object *gone = live_.find(e.address)) end(gone, node);
        if (stays)
            live_.insert(e.address, *stays);
        else if (e.call != heap_call::free)
            make(e, node);
    }

    // What is never freed has outlived the lives that ended.
    void finish() {
        live_.for_each([&](std::uint64_t, object &o) { note(o, 0); });
    }

  private:
    struct instance { // of the region, in one thread and call
        std::uint64_t live = 0, life = 0;
    };
    struct object {
        std::uint32_t site = 0, at = 0; // index of its instance
        std::uint64_t life = 0;         // in which it was made
        bool is_noted = false;
    };

    std::uint32_t instance_of(std::uint32_t thread, std::uint32_t scope) {
        const std::uint64_t key = key_of_thread(thread, scope);
        if (const std::uint32_t *known = instances_by_call_.find(key)) return *known;
        const auto next = static_cast<std::uint32_t>(instances_.size());
        instances_.push_back({});
        return instances_by_call_.insert(key, next);
    }

    void make(const heap_event &e, std::uint32_t site) {
        const watched_site &watched = sites_[site];
        if (watched.what == role::none) return;
        const std::uint32_t at = instance_of(e.thread, watched.scope);
        if (watched.what == role::own) ++instances_[at].live;
        live_.insert(e.address, {site, at, instances_[at].life});
    }

    void end(object *gone, std::uint32_t by) {
        note(*gone, by);
        instance &in = instances_[gone->at];
        const bool is_own = sites_[gone->site].what == role::own;
        live_.erase(gone);
        if (is_own && --in.live == 0) ++in.life;
    }

    void note(object &o, std::uint32_t by) {
        if (o.is_noted || instances_[o.at].life == o.life) return;
        o.is_noted = true;
        escaping_count &found = left_over_[o.site];
        ++found.objects;
        if (by != 0) found.freed_at = by;
    }

    std::vector<watched_site> sites_;
    std::map<std::uint32_t, escaping_count> &left_over_;
    const std::vector<std::uint32_t> *nodes_ = nullptr;
    address_map<object> live_;
    address_map<std::uint32_t> instances_by_call_;
    std::vector<instance> instances_;
};

} // namespace

void watch_lives(std::vector<advice> &lines, const findings &known,
                 const each_recording &recordings) {
    std::vector<life_watch> watches;
    for (advice &a : lines)
        if (goes_at_once(a) && is_in_loop(a)) watches.emplace_back(sites_of(a, known), a.left_over);
    if (watches.empty()) return;
    recordings([&](const recording &r, const std::vector<std::uint32_t> &nodes) {
        for (life_watch &w : watches) w.begin(nodes);
        r.for_each([&](std::span<const heap_event> events) {
            for (life_watch &w : watches) take_all(w, events);
        });
        for (life_watch &w : watches) w.finish();
    });
}

} // namespace toft::lab
