// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"
#include "stack_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <utility>
#include <vector>

// How long the objects of each site live, found in one pass over the events. A *site* is the stack
// that made an object, a node of the tree. Memory grows with the sites and with the objects that
// are alive at a time, not with the events.
namespace toft::lab {

// An object's scope is the innermost call that went on from its allocation to its end, as a depth
// on its site's stack. 0: it outlives every call of its thread, or is never freed.
constexpr std::int32_t no_scope = -1; // another thread frees or resizes it

struct scope_share {
    std::int32_t depth = no_scope;
    std::uint64_t objects = 0;
    std::uint32_t freed_at = 0; // the stack that freed most of them; 0: they weren't freed
    std::uint64_t votes = 0;    // by which freed_at leads
};

struct site_lifetimes {
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0; // that were asked for, by resizes too
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 0;
    std::uint64_t never_freed = 0;
    std::uint64_t resizes = 0;
    std::uint64_t moves = 0;        // resizes that gave the object another address
    std::uint64_t copied_bytes = 0; // by these, and by vectors that grew
    std::uint64_t zeroed = 0;       // of its objects: calloc made them
    // An object was freed just after its function had made a larger one: a vector that grows.
    std::uint64_t regrown = 0;
    std::uint64_t live = 0, live_bytes = 0;
    std::uint64_t peak_live = 0, peak_live_bytes = 0;
    std::uint64_t first_ns = 0, last_ns = 0; // of its allocations
    std::uint64_t longest_life = 0;          // of a freed one, in events
    std::uint32_t alignment = 0;             // the largest that was asked for
    std::uint32_t resized_at = 0;            // the stack that last resized one of its objects
    std::vector<scope_share> scopes;         // one for each depth that occurred

    // That of its objects which has the least depth: it covers all of them.
    std::int32_t scope() const;
};

// An object that is resized again and again, or a vector that outgrows its memory.
bool grows(const site_lifetimes &);

// Objects of a site whose scope has less than a depth: they outlive the call there.
struct escaping_count {
    std::uint64_t objects = 0;
    std::uint32_t freed_at = 0; // by the most numerous of them
};
escaping_count escaping_from(const site_lifetimes &, std::uint32_t depth);

// By node of the tree. Few nodes of a large tree are sites, and only these take memory.
class site_table {
  public:
    void make_room(std::size_t nodes) { numbers_.resize(nodes); }
    std::size_t size() const { return numbers_.size(); } // nodes of the tree

    // A node that made no objects has one without any.
    const site_lifetimes &operator[](std::uint32_t node) const { return known_[numbers_[node]]; }

    // Those that are there stay where they are.
    site_lifetimes &made_by(std::uint32_t node) {
        std::uint32_t &number = numbers_[node];
        if (number == 0) {
            number = static_cast<std::uint32_t>(known_.size());
            known_.emplace_back();
        }
        return known_[number];
    }

  private:
    std::vector<std::uint32_t> numbers_;  // by node
    std::deque<site_lifetimes> known_{1}; // by number; the first has no objects
};

struct lifetimes {
    site_table sites;
    std::set<std::pair<std::uint32_t, std::uint32_t>> resizers; // a site, and a stack that resizes
    // By frame of the tree: how many of its calls were seen. Those that follow each other without
    // an event in between from outside of them look like one.
    std::vector<std::uint64_t> calls;
    std::uint64_t events = 0;
    std::uint64_t objects = 0;
    std::uint64_t peak_live_bytes = 0; // of the recording with the highest peak
    // What the processes took, without the recorder. Of one that was killed early nothing but the
    // times of its events is known: it is at most what passed for its threads, and at least that
    // with each wait between two events cut to a millisecond.
    std::uint64_t most_processor_ns = 0, least_processor_ns = 0;
    std::uint64_t threads = 0; // of the recording that has the most
    std::uint64_t last_ns = 0; // of all events
    bool sampled = false;
};

// Adds a recording whose stacks are in the tree; `nodes` is what merge() returned.
void add_lifetimes(lifetimes &, const recording &, const stack_tree &,
                   const std::vector<std::uint32_t> &nodes);

} // namespace toft::lab
