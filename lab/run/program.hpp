// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// Runs another program in the course of a session: a subject that can't be part of this command.
namespace toft::lab {

// Runs `path ARGUMENTS...` to its end and returns what it wrote to standard output. It dies with
// this process, so that the lab's time limit holds for it as well. Throws std::runtime_error when
// it doesn't exit with status 0, and says with what last words.
std::string output_of_program(const std::string &path, const std::vector<std::string> &arguments);

} // namespace toft::lab
