// SPDX-License-Identifier: MIT
#pragma once

#include "compile.hpp"
#include "result/result.hpp"
#include "run/progress.hpp"
#include "run/target.hpp"
#include "touching.hpp"

#include <iterator>
#include <string>
#include <vector>

// `toft replay`: a recorded program's heap work under several mallocs. The result is that of a
// bench with one suite, `replay`, with a case for each model of touching; so it can be written,
// shown and compared like any other. Where the program is run too, a case `program` has it, and a
// case `start` has a program that does nothing under every malloc: its start is part of what
// another malloc costs.
namespace toft::lab {

inline constexpr const char *replay_suite = "replay";
inline constexpr const char *program_case = "program";
inline constexpr const char *start_case = "start";
inline constexpr const char *as_recorded = "as recorded";
inline constexpr const char *placed_kept = "placed, frees kept";
inline constexpr const char *placed_hooked = "placed, frees through a hook";
inline constexpr const char *placed_dropped = "placed, frees dropped";

struct replay_settings {
    std::string recording_path;        // as the user named it
    std::vector<allocator> allocators; // the first is the recorded program's
    placement where;                   // chosen sites; empty: none
    std::vector<std::string> models{std::begin(touching_names), std::end(touching_names)};
    target program;             // to be run too; no words: it isn't
    unsigned repetitions = 5;   // processes for each row
    double max_seconds = 300;   // then no further round begins, once there are three
    double limit_seconds = 300; // for each process
    double end_seconds = 0;     // all ends then, in the middle of a round too; 0: it doesn't
    double last_seconds = 0;    // until then the first model's first round goes on beyond that end
    bool with_start = false;    // measure what a malloc takes to start, without a program too
};

// A recording as it is replayed: with the sites placed as was chosen, or as it was recorded.
struct compiled_recording {
    explicit compiled_recording(const recording &, const placement & = {});
    program_writer file;
    compiled_counts counts;
};

// What the rows replay.
struct compiled_recordings {
    const compiled_recording &recorded;
    const compiled_recording *placed = nullptr; // null where nothing is placed
};

// The rows, nothing measured yet.
bench_result plan(const replay_settings &, const compiled_recordings &);

// Round after round, every row once in each. A row that fails says so and stops.
void carry_out(bench_result &, const replay_settings &, const compiled_recordings &, progress &);

} // namespace toft::lab
