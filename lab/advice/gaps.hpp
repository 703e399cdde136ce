// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// What a recording doesn't know, where that may change what is made of it: more than a hundredth of
// its calls. In sentences, each with what it means.
std::vector<std::string> gaps_of(const recording &);

} // namespace toft::lab
