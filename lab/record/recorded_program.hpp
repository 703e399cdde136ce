// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Runs a program with the recorder in front of its heap.
namespace toft::lab {

struct record_request {
    std::vector<std::string> words; // the program and its arguments
    std::string file;               // empty: PROGRAM.PID.toft in the current folder, or .PID.2
    std::uint64_t sampled_bytes = 0;
    bool is_aside = false; // its input is empty, and what it writes to standard output is dropped
};

// A file that the program, or one that it started, has written.
struct recorded_totals {
    std::string path;
    std::uint64_t file_bytes = 0;
    std::uint64_t calls = 0;
    std::uint64_t objects = 0; // one that is resized is the same, as in all advice
    std::uint64_t requested_bytes = 0;
    std::uint64_t missed_events = 0; // in signal handlers, mostly
    std::uint64_t cut_stacks = 0;    // walks that ended before the outermost frame
    std::string operators_of; // the path of a heap that brings C++'s new and delete; or empty
    std::string incomplete;   // as recording::incomplete
    bool failed = false;      // that is because nothing more could be written
    bool ends_with_exec = false;
};

struct finished_recording {
    int wait_status = 0;            // as waitpid gives it
    bool end_was_requested = false; // as preloaded_end::was_requested
    std::string path;
    bool taken = false;                 // by another run, whose recording is there now
    std::vector<recorded_totals> files; // the program's own first
};

// Signals to this process are handed on. Throws std::invalid_argument when the program can't be
// recorded, with what to do instead, and when the file is somebody else's; std::system_error when
// the file can't be made or nothing can be started. An earlier recording of that name goes, with
// the files of its other processes.
finished_recording record_program(const record_request &);

} // namespace toft::lab
