// SPDX-License-Identifier: MIT
#pragma once

#include "objects.hpp"

#include <algorithm>
#include <limits>

// What each site of a recording made in all, at the moment when the process held the most bytes,
// and what is left at the end.
namespace toft::lab {

// Figures of a sampled recording are estimates, and no whole numbers.
struct held_objects {
    double objects = 0, bytes = 0;
};

struct site_total {
    std::uint32_t site = 0;      // node
    held_objects made;           // each resize adds its new size to the bytes
    held_objects at_peak, alive; // alive: now, and in the end
    double lifetime_ns = 0;      // of all that ended, together
    double ended = 0;            // objects
    std::uint64_t resizes = 0;
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max(), largest = 0;
    std::uint64_t first_ns = 0, last_ns = 0; // when it made objects
};

class site_totals : public object_listener {
  public:
    explicit site_totals(std::size_t nodes) : index_(nodes, none) {}

    void made(const heap_object &) override;
    void resized(const heap_object &, const heap_object &before) override;
    void ended(const heap_object &, const object_end &) override;
    void left_alive(const heap_object &) override {}

    // When all has been told: those that made objects.
    const std::vector<site_total> &finish();

    double peak_bytes() const { return peak_bytes_; }

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    site_total &touch(const heap_object &);
    void keep_peak(std::size_t index);

    std::vector<std::uint32_t> index_; // by node: in totals_
    std::vector<site_total> totals_;
    // The peak that a site's `at_peak` is of. A site is brought up to date just before it changes,
    // so that a new peak costs nothing for the other sites.
    std::vector<std::uint64_t> kept_;
    std::uint64_t peaks_ = 0;
    double bytes_ = 0, peak_bytes_ = 0;
};

} // namespace toft::lab
