// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace toft::lab {

// The script that completes the command in bash, zsh or fish.
std::string completions_of(const CLI::App &, const std::string &shell);

} // namespace toft::lab
