// SPDX-License-Identifier: MIT
#pragma once

#include "advice/places.hpp"
#include "site_totals.hpp"

#include <map>
#include <string>

// What `pprof` and `go tool pprof` read: github.com/google/pprof, proto/profile.proto.
namespace toft::lab {

class pprof_profile {
  public:
    // Sites of several recordings are added up. `nanoseconds`: how long the recorded process ran.
    void add(const std::vector<site_total> &, const recording &, std::uint64_t nanoseconds);

    // The profile, compressed. Throws std::runtime_error where this toft has no zlib.
    std::string text(const stack_tree &, places &) const;

  private:
    struct values {
        held_objects made, at_peak, at_end;
    };
    std::map<std::uint32_t, values> sites_; // by node
    std::string program_;                   // the path of the first one's file
    std::uint64_t nanoseconds_ = 0, sampled_bytes_ = 0;
};

} // namespace toft::lab
