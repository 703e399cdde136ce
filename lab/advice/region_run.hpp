// SPDX-License-Identifier: MIT
#pragma once

#include "record/address_map.hpp"
#include "record/recording.hpp"
#include "record/take_all.hpp"
#include "regions.hpp"

#include <cstdint>
#include <set>
#include <vector>

// One pass over the events of a recording, with the chosen sites' objects in regions.
namespace toft::lab {

// What a site had in its regions when they were most bloated.
struct site_bloat {
    std::uint32_t site = 0;
    std::uint64_t arena_bytes = 0, needed_bytes = 0;
};

// What was seen of a region in all recordings.
struct region_figures {
    std::uint64_t objects = 0, lives = 0;
    std::uint64_t most_objects = 0, most_bytes = 0; // in one life
    std::uint64_t most_at_once = 0;                 // objects of all lives that went on
    std::uint64_t lives_at_once = 0;                // at most
    std::uint64_t threads = 0;                      // whose whole life is its scope
    std::uint64_t most_threads = 0;                 // the same, in one recording
    std::uint64_t arena_peak_bytes = 0, needed_peak_bytes = 0, malloc_peak_bytes = 0;
    // The largest recording in which its peak was beyond what is allowed: what it needed there, and
    // who bloated it. Empty: it was within the bounds in all of them.
    std::uint64_t bloated_need_bytes = 0;
    std::vector<site_bloat> bloat;
    // Moments at which hardly any objects were left of many, before there were more again; and
    // whose those were, as far as anybody looked.
    std::uint64_t ebbs_in_vain = 0; // at which no other site's was left
    std::set<std::uint32_t> left_at_ebbs;
};

class region_run {
  public:
    struct choice {
        std::uint32_t region = none; // index of the figures
        std::uint32_t scope = 0;
    };
    static constexpr std::uint32_t none = UINT32_MAX;

    // `chosen` has an entry for each site, and `sites` has that of each stack.
    region_run(std::vector<region_figures> &figures, const std::vector<choice> &chosen,
               const std::vector<std::uint32_t> &sites);

    void take(const heap_event &);
    void expect(const heap_event &e) const { live_.expect(looked_up_by(e)); } // soon
    void finish(); // adds what was seen to the figures

  private:
    struct instance { // of a region, in one thread and frame
        std::uint32_t region = 0;
        std::uint64_t life = 0; // its number
        std::uint64_t live = 0, made = 0, last_address = 0;
        std::uint64_t arena_bytes = 0, asked_bytes = 0; // the last without alignments
        std::uint64_t most_live = 0;                    // since it had none, or hardly any
        bool ebbed = false;                             // it has hardly any now
    };
    struct stream { // the objects of one site in one thread
        std::uint32_t site = 0, at = 0;
        std::uint64_t life = 0, arena_bytes = 0, needed_bytes = 0, live = 0;
    };
    struct object {
        std::uint64_t bytes = 0;
        std::uint32_t from = 0;      // index of its stream
        std::uint32_t alignment = 0; // that was asked for, if it is more than each object has
    };
    struct totals { // of a region, over its instances
        std::uint64_t arena_bytes = 0, needed_bytes = 0, malloc_bytes = 0;
        std::uint64_t arena_peak_bytes = 0, needed_peak_bytes = 0, malloc_peak_bytes = 0;
        std::uint64_t lives = 0, lives_at_once = 0; // now, and at most
        std::uint64_t made = 0;                     // in the lives that go on
        std::uint64_t threads = 0;                  // whose whole life is its scope
        std::uint64_t pictured_bytes = 0;           // the peak at which `bloat` was taken
        std::vector<site_bloat> bloat;
        std::vector<std::uint32_t> streams;
    };

    struct last_stream { // of a site: mostly one thread makes its objects
        std::uint32_t thread = none, index = 0;
    };

    std::uint32_t stream_of(std::uint32_t thread, std::uint32_t site);
    std::uint32_t find_stream(std::uint32_t thread, std::uint32_t site);
    std::uint32_t instance_of(std::uint32_t thread, const choice &);
    static std::uint64_t in_arena(const object &);
    static std::uint64_t in_malloc(const object &);
    void take_bytes(stream &, std::uint64_t bytes, std::uint64_t asked_bytes);
    void need(stream &, const object &, const object &instead_of);
    void watch(std::uint32_t region);
    void begin_life(std::uint32_t region);
    void note_ebb(std::uint32_t at);
    void allocate(const heap_event &);
    void resize(const heap_event &);
    void end(object *);

    std::vector<region_figures> &figures_;
    const std::vector<choice> &chosen_;
    const std::vector<std::uint32_t> &sites_;
    address_map<object> live_;
    address_map<std::uint32_t> streams_by_site_, instances_by_frame_;
    std::vector<last_stream> last_streams_; // by site
    std::vector<stream> streams_;
    std::vector<instance> instances_;
    std::vector<totals> totals_;
};

} // namespace toft::lab
