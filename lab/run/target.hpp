// SPDX-License-Identifier: MIT
#pragma once

#include "process.hpp"
#include "subject/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Runs somebody's program once, under a malloc, and measures it from outside.
namespace toft::lab {

// The program and how its run ends: by itself, or, for a server, when a client has ended.
struct target {
    std::vector<std::string> words; // the program and its arguments
    int usual_status = 0;           // what it exits with when nothing is wrong
    std::string client = {};        // a command of the shell; empty: the program ends by itself
    // On loopback; the client is started when it can be reached.
    std::optional<std::uint16_t> port = {};
    bool keep_output = false; // reads the program's output (the client's, if there is one)
    double limit_seconds = 300;
};

// The names of the figures in a measurement of such a run, beyond those that every measurement has.
inline constexpr const char *average_bytes_figure = "average resident bytes";
inline constexpr const char *waits_figure = "context switches, voluntary";
inline constexpr const char *preemptions_figure = "context switches, involuntary";
inline constexpr const char *run_phase = "run";

// What to do about a program that fails by itself.
inline constexpr const char *how_to_succeed =
    "Make it succeed first; where its status is no failure, name it: --status N";

struct target_run {
    // One phase, `run`: the program from its start to its end, or the server, with what it started,
    // while its client ran. Its failure says how it ended, when that was no success.
    measurement measured;
    std::string output_digest; // of what was kept: its length and a hash; empty: nothing was
    bool interrupted = false;  // this process was told to stop meanwhile
};

// What the run took; nothing where it has failed before its end.
cost cost_of_run(const measurement &);

// A program that takes longer than the limit is killed, with everything that it started. Throws
// std::system_error when nothing can be started at all.
target_run run_target(const target &, const surroundings &);

} // namespace toft::lab
