// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// What differs in the circumstances of two results (processor, frequency, kernel, huge pages,
// compiler, flags, allocators' versions, settings), and so may explain a change: a sentence each.
std::vector<std::string> differences_of(const bench_result &old_result,
                                        const bench_result &new_result);

} // namespace toft::lab
