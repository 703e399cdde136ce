// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// What a subcommand's help and the manual page say beside its options.
namespace toft::lab {

struct example {
    std::string command;
    std::string meaning;
};
std::vector<example> examples_of(const std::string &subcommand);

// A status can mean something else to each subcommand.
struct status_meaning {
    std::string status; // "N": any
    std::string meaning;
    std::vector<std::string> subcommands; // that can end so; empty: all
};
const std::vector<status_meaning> &exit_statuses();

// The end of a subcommand's help: its examples, and the statuses that it can end with.
std::string footer_of(const std::string &subcommand);

} // namespace toft::lab
