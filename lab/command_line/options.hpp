// SPDX-License-Identifier: MIT
#pragma once

#include "command.hpp"
#include "replay/replay_child.hpp"
#include "run/child.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The command line of `toft`, defined once: the parser, its help, the manual page (man_page.hpp)
// and the shells' completions (completions.hpp) all come from it.
namespace toft::lab {

// Which mallocs are measured.
struct allocator_options {
    std::optional<std::string> allocators; // comma-separated; nothing: all
    std::vector<std::string> preloads;
    std::vector<std::string> environments;
};

struct bench_options : allocator_options {
    std::vector<std::string> suites;
    std::vector<unsigned> threads;
    bool full = false;
    bool list = false;
    std::optional<unsigned> repetitions;
    std::optional<std::uint64_t> size;
    std::string filter;
    double limit_seconds = 300;
    std::optional<double> max_seconds; // nothing: however long it takes
    wanted_results results;
};

struct try_options : allocator_options {
    std::vector<std::string> words;
    int usual_status = 0;
    std::string client;
    std::optional<std::uint16_t> port;
    bool same_output = false;
    bool side_by_side = false;
    double precision_percent = 3;
    double max_seconds = 120;
    double limit_seconds = 300;
    wanted_results results;
};

struct replay_options : allocator_options {
    std::string recording_path;
    std::vector<std::string> program;
    int usual_status = 0; // the program's
    std::vector<std::string> arenas;
    std::vector<std::string> pools;
    std::optional<double> program_cpu_ms;
    unsigned repetitions = 5;
    double max_seconds = 300;
    double limit_seconds = 300;
    wanted_results results;
};

struct compare_options {
    std::string old_path;
    std::string new_path;
    bool all = false;
    std::optional<double> bound_percent;
};

struct report_options {
    std::string result_path;
    std::string page_path;
    page_samples in_page = page_samples::left_out;
};

struct options {
    bench_options bench;
    try_options trial;
    record_request record;
    replay_options replay;
    compare_options compare;
    report_options report;
    advise_request advise;
    verify_request verify;
    export_request exports;
    std::string shell;
    assignment measure_one;       // what a child of the lab's own is told; see run/child.hpp
    replay_assignment replay_one; // likewise; see replay/replay_child.hpp
};

// The parser, which fills the options; they must outlive it.
std::unique_ptr<CLI::App> make_parser(options &);

} // namespace toft::lab
