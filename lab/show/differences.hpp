// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace toft::lab {

// What differs in the circumstances of two result files (processor, frequency, kernel, huge pages,
// compiler, flags, allocators' versions, settings), and so may explain a change: a sentence each.
std::vector<std::string> differences_of(const nlohmann::json &old_result,
                                        const nlohmann::json &new_result);

} // namespace toft::lab
