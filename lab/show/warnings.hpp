// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"
#include "run/runner.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// Why a reader should doubt all of the figures, or some: a sentence each.
std::vector<std::string> warnings_of(const outcome &, const circumstances &);

} // namespace toft::lab
