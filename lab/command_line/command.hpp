// SPDX-License-Identifier: MIT
#pragma once

#include "export/export.hpp"
#include "record/recorded_program.hpp"
#include "replay/replays.hpp"
#include "run/settings.hpp"
#include "run/trial.hpp"
#include "show/page_data.hpp"

#include <optional>
#include <string>
#include <vector>

// The subcommands of `toft`, once the command line has been understood. Each returns the exit
// status, and throws for what keeps it from starting: std::invalid_argument for a mistake of the
// user's, another std::exception for a file that can't be read or written.
namespace toft::lab {

enum {
    exit_success = 0,
    exit_problems = 1, // a subject failed or was elided, or a file couldn't be read or written
    exit_usage = 2,
    exit_regression = 3,
    exit_cannot_tell = 4, // a change as small as the bound could have stayed unseen
    exit_used_late = 5,   // an object was used after its region's end
    exit_interrupted = 130,
};

// Where a result goes, and what it is held to. Empty: not asked for.
struct wanted_results {
    std::string json_path, html_path, compare_path;
    std::optional<double> bound_percent; // that may be lost
    page_samples in_page = page_samples::left_out;
};

struct bench_request {
    settings chosen;
    wanted_results results;
    std::vector<std::string> command_line;
};

struct try_request {
    trial_settings chosen;
    std::vector<omission> left_out; // allocators that aren't there
    wanted_results results;
    std::vector<std::string> command_line;
};

struct replay_request {
    replay_settings chosen;
    std::vector<std::string> arenas; // each the sites of one arena, comma-separated
    std::vector<std::string> pools;  // likewise
    std::optional<double> program_cpu_ms;
    std::vector<omission> left_out; // allocators that aren't there
    wanted_results results;
    std::vector<std::string> command_line;
};

// Measures, writes the files, and prints the tables, so that a reader who goes away (a pipe into
// `head`) loses no file.
int run_bench(const bench_request &);

// Runs a program under every malloc, and says which to link. What can't be tried is told, with what
// to do, before anything is measured: std::invalid_argument.
int run_try(const try_request &);

// Records a program, and says on standard error what came of it. Ends as the program did, by the
// same signal if it was one.
int run_record(const record_request &);

// Its parts, for a command that goes on with the recording.
finished_recording record_and_tell(const record_request &);
// Whether all of it was recorded. The program may have ended well all the same.
bool is_whole(const finished_recording &);

// Replays a recording under every malloc, and predicts what each would gain in the whole program.
int run_replay(const replay_request &);

struct advise_request {
    std::vector<std::string> paths;   // none: the program is recorded first
    std::string json_path, html_path; // empty: not asked for
    std::vector<std::string> program; // run for its CPU time; empty: it isn't
    int usual_status = 0;             // the program's, where there are recordings of it already
    std::optional<double> processor_seconds;
    bool replays = true;                  // what other mallocs and the changes gain
    std::optional<double> replay_seconds; // that these may take at most
    std::vector<allocator> allocators;
};

// Says what a program could gain, and how. It has recordings, a program, or both.
int run_advise(const advise_request &);

struct verify_request {
    std::string recording_path;
    std::vector<std::string> more_recordings; // that toft advise was given too
    std::optional<double> processor_seconds;  // likewise
    unsigned number = 0;                      // of the advice, as it is printed
    std::vector<std::string> words;
};

// Runs a program with the objects of a piece of advice unreadable after their region's end. Says on
// standard error what came of it. Ends as the program did when nothing was found.
int run_verify(const verify_request &);

// What this command returns to end as a program did; a signal that ended it ends this process too.
int status_like(int wait_status);

// Writes recordings in the formats of other tools, at least one.
int run_export(const export_request &);

// Compares two result files; with `all`, shows every figure.
int run_compare(const std::string &old_path, const std::string &new_path, bool all,
                std::optional<double> bound_percent);

// Makes the report of a result file.
int run_report(const std::string &result_path, const std::string &page_path, page_samples);

} // namespace toft::lab
