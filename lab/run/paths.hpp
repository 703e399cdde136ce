// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// Where the command's own helpers lie: ../lib/toft beside the folder of the command itself, both
// in the build and when installed.
namespace toft::lab {

std::string helper_path(const std::string &file);
inline constexpr const char *heap_counter_file = "heap_counter.so";

} // namespace toft::lab
