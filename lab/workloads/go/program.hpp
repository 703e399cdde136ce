// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <string>
#include <vector>

// Programs in Go, which the build puts beside the lab's helpers where there is a Go to build them
// with. Each does one piece of work, measures itself, and prints its report as JSON.
namespace toft::lab {

// Figures of a Go program, as they stand in the result file.
inline constexpr const char *go_collections = "collections";
inline constexpr const char *go_pause_ns = "pause_ns";
inline constexpr const char *go_collector_share = "collector_share";

std::string why_go_is_missing(const char *program); // empty: it isn't missing

struct go_answer {
    self_report report;
    std::string version;     // of Go
    std::string output;      // of the program
    unsigned goroutines = 1; // that did the work: GOMAXPROCS
};

// Runs the program in this environment ("GOGC=off") and returns what it reports.
go_answer ask_go(const char *program, const std::vector<std::string> &arguments,
                 const std::vector<std::string> &environment = {});

} // namespace toft::lab
