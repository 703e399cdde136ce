// SPDX-License-Identifier: MIT
#pragma once

#include "target.hpp"

#include <optional>

// What somebody's program takes when nothing looks at it.
namespace toft::lab {

struct program_seconds {
    double cpu = 0; // to three digits, so that a reader can give them back
    double wall = 0;
};

// The medians of five runs, or of three where these take long. Nothing after an interrupt. Throws
// std::invalid_argument, in words for the user, when a run fails.
std::optional<program_seconds> seconds_of_program(const target &);

} // namespace toft::lab
