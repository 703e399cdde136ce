// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// The path of one of the command's own helpers. They lie in ../lib/toft, seen from the folder of
// the command itself, both in the build and when installed.
namespace toft::lab {

std::string helper_path(const std::string &file);
inline constexpr const char *heap_counter_file = "heap_counter.so";

} // namespace toft::lab
