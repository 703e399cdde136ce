// SPDX-License-Identifier: MIT
#pragma once

#include "allocators.hpp"
#include "settings.hpp"

#include <string>
#include <vector>

// `toft bench`, once its command line has been understood.
namespace toft::lab {

enum exit_status {
    exit_success = 0,
    exit_problems = 1, // a subject failed or was elided, or the result file couldn't be written
    exit_usage = 2,
    exit_interrupted = 130,
};

// Measures, prints the tables, writes the result file (unless its path is empty), and returns the
// exit status. Throws std::invalid_argument for settings that choose nothing.
int run_bench(const settings &, const std::string &json_path,
              const std::vector<std::string> &command_line);

// What there is to choose from: suites, their cases and subjects, allocators.
void print_choices(const std::vector<allocator> &);

} // namespace toft::lab
