// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// What the parser knows of itself, as the manual page and the completions need it.
namespace toft::lab {

struct option_definition {
    std::string name;       // "--json"; for a positional one "suites"
    std::string short_name; // "-o"; empty: it has none
    std::string value;      // "FILE"; empty for a flag
    std::string meaning;    // one sentence without its full stop
    std::string group;
    bool positional = false;
    bool required = false;
    bool repeated = false; // a positional one that takes several words
};

std::vector<option_definition> options_of(const CLI::App &);
std::vector<const CLI::App *> subcommands_of(const CLI::App &); // without the hidden ones

// The words that a value of this kind can be; empty where that isn't known.
std::vector<std::string> words_for(const std::string &value);

} // namespace toft::lab
