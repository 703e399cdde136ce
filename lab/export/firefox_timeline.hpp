// SPDX-License-Identifier: MIT
#pragma once

#include "objects.hpp"

#include <string>
#include <unordered_map>
#include <vector>

// The objects of one recording over time, in a bounded number of groups, as the Firefox Profiler's
// table of allocations wants them: those of a site that were made in the same interval of time and
// ended in the same interval are one group, which acts as a single object. There are 256 intervals:
// when time goes on beyond the last one, two become one.
namespace toft::lab {

class firefox_timeline : public object_listener {
  public:
    static constexpr std::uint64_t intervals = 256;

    // A group comes, or goes.
    struct change {
        std::uint64_t interval = 0; // at whose beginning it is
        bool comes = false;
        std::uint32_t site = 0;
        std::uint64_t group = 0; // the number that both its changes have
        double bytes = 0;
    };

    void made(const heap_object &) override {}
    void resized(const heap_object &, const heap_object &) override {}
    void ended(const heap_object &o, const object_end &end) override { add(o, end.time_ns, false); }
    void left_alive(const heap_object &o) override { add(o, o.made_ns, true); }

    // In the order of time; what goes comes before what comes.
    std::vector<change> changes() const;
    double milliseconds(std::uint64_t interval) const {
        constexpr double nanoseconds = 1e6;
        return static_cast<double>(interval * width_ns_) / nanoseconds;
    }

  private:
    static constexpr std::uint64_t stays = 0xffff; // the interval of its end: none

    static std::uint64_t key_of(std::uint64_t site, std::uint64_t made, std::uint64_t ended) {
        return site << 32 | made << 16 | ended;
    }
    void add(const heap_object &, std::uint64_t end_ns, bool is_alive);
    void make_room_for(std::uint64_t time_ns);

    std::unordered_map<std::uint64_t, double> bytes_; // of each group
    std::uint64_t width_ns_ = 1024;                   // of an interval
};

} // namespace toft::lab
