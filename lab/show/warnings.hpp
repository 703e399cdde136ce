// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// The reasons to doubt all of the figures, or some of them, with a sentence for each.
std::vector<std::string> warnings_of(const bench_result &);

// So much of the machine that wall times are theirs too.
bool others_were_busy(const bench_result &);

} // namespace toft::lab
