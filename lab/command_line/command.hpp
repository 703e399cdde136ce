// SPDX-License-Identifier: MIT
#pragma once

#include "run/settings.hpp"

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
    exit_interrupted = 130,
};

struct bench_request {
    settings chosen;
    std::string json_path, html_path, compare_path; // empty: not asked for
    std::optional<double> bound_percent;            // that may be lost without exit_regression
    std::vector<std::string> command_line;
};

// Measures, writes the files, and prints the tables, so that a reader who goes away (a pipe into
// `head`) loses no file.
int run_bench(const bench_request &);

// Compares two result files; with `all`, shows every figure.
int run_compare(const std::string &old_path, const std::string &new_path, bool all,
                std::optional<double> bound_percent);

// Makes the report of a result file.
int run_report(const std::string &result_path, const std::string &page_path);

} // namespace toft::lab
