// SPDX-License-Identifier: MIT
#pragma once

#include "advice/places.hpp"
#include "firefox_frames.hpp"
#include "firefox_timeline.hpp"

#include <string>
#include <vector>

// What profiler.firefox.com opens: its "processed profile", of a version that it brings up to date
// by itself (github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).
namespace toft::lab {

class firefox_profile {
  public:
    // Each recording becomes a process. `nanoseconds`: how long it ran.
    void add(const std::string &path, const firefox_timeline &, const recording &,
             std::uint64_t nanoseconds);

    std::string text(const stack_tree &, places &) const;

  private:
    struct process {
        std::string path, name;
        std::uint64_t id = 0;
        std::uint64_t start_ns = 0;
        double milliseconds = 0;
        std::vector<firefox_timeline::change> changes;
        std::vector<double> times; // in milliseconds, of each change, since the process began
        nlohmann::json live_bytes; // the samples of a counter

        // By their names and numbers: first is the one whose file was asked for.
        bool is_of_run_of(const process &first) const;
        nlohmann::json allocations(std::size_t thread, double begin, firefox_frames &) const;
    };

    double begin_of(const process &) const;

    std::vector<process> processes_;
};

} // namespace toft::lab
