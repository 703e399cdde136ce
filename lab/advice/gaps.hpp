// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// What a recording doesn't know, where that may change what is made of it: more than a hundredth of
// its calls. In sentences, each with what it means.
std::vector<std::string> gaps_of(const recording &);

// What it means for advice that a program switches stacks: two of a thread's stacks with equal
// frames can't be told apart.
std::string words_on_switches(const recording &);

} // namespace toft::lab
