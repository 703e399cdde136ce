// SPDX-License-Identifier: MIT
#pragma once

#include "row.hpp"

#include <string>

// A row runs sometimes after one of its two neighbours, sometimes after the other (see
// run/runner.hpp). When its time depends on which of them ran before, something is passed on from
// process to process, and the row's median means little.
namespace toft::lab {

// Says what was seen, or nothing. It is an effect when at least three processes ran after each of
// two rows, every one of the first group was slower than every one of the second, and the medians
// differ by more than the row's noisy_spread.
std::string describe_order_effect(const row &);

} // namespace toft::lab
