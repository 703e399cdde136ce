// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

// What somebody's program takes of the CPU when nothing looks at it.
namespace toft::lab {

// In seconds, to three digits, so that a reader can give them back: the median of five runs, or of
// three where these take long. Nothing after an interrupt. Throws std::invalid_argument, in words
// for the user, when a run fails.
std::optional<double> cpu_seconds_of_program(const std::vector<std::string> &words);

} // namespace toft::lab
