// SPDX-License-Identifier: MIT
#pragma once

#include "result/compared.hpp"

#include <cstdint>
#include <string>

// Sizes, and what a change gains, in words.
namespace toft::lab {

inline constexpr double least_shown = .05; // percent

std::string sized(std::uint64_t bytes);
// An estimate has no digits behind the point.
std::string sized_about(std::uint64_t bytes);
// "40 to 96 bytes", "4 bytes to 144 KiB"
std::string sizes(std::uint64_t smallest, std::uint64_t largest);

std::string percent(double);
// "6 to 9 %", "at least 6 %"
std::string percents(interval);
// From nothing to nearly everything.
bool is_unknown(interval gained);
// "6 to 9 % less", "12 % more to 49 % less", "as before", "less by an unknown share"
std::string change(interval gained);
// Memory may be any multiple of what it was.
std::string change_of_peak(interval gained);
// The peak of a region may come at another time than the program's: "up to 9 % less". Runs leave no
// such doubt: "9 % less".
std::string change_of_region(interval saved_percent);
// ", peak memory up to 9 % less"; empty where nothing is to be said
std::string memory(interval saved_percent);

} // namespace toft::lab
