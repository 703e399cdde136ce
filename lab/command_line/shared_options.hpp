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
void add_results(CLI::App &, wanted_results &);

// What a program exits with when nothing is wrong.
CLI::Option *add_status(CLI::App &, int &);

} // namespace toft::lab
