// SPDX-License-Identifier: MIT
#pragma once

#include "options.hpp"

// What several subcommands have in common in their options.
namespace toft::lab {

// The headings in a help.
inline constexpr const char *choosing = "What is measured";
inline constexpr const char *measuring = "How it is measured";
inline constexpr const char *results = "Where the results go";

// An option with one value that may be given again. It takes no list: one would end only at the --
// before a program, and take that away.
CLI::Option *repeatable(CLI::Option *);

void add_allocators(CLI::App &, allocator_options &);
CLI::Option *add_bound(CLI::App &, std::optional<double> &);
CLI::Option *add_samples(CLI::App &, page_samples &);
// A file that a result is written to.
CLI::Option *add_output(CLI::App &, const char *name, std::string &path, const char *meaning);
void add_results(CLI::App &, wanted_results &);

void add_program(CLI::App &, std::vector<std::string> &words); // which must be there
// After so many seconds what runs is given up: "run" or "process".
void add_timeout(CLI::App &, double &seconds, const std::string &what);

// What a program exits with when nothing is wrong.
CLI::Option *add_status(CLI::App &, int &);

} // namespace toft::lab
