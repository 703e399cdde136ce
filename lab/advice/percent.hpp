// SPDX-License-Identifier: MIT
#pragma once

#include "result/compared.hpp"

#include <string>

// Ranges as parts of others, and in words.
namespace toft::lab {

// No change of the heap gains all of a program's time, nor is the model right where it says so: an
// end of a range that lies here is an end that isn't known.
inline constexpr double most_percent = 95;

// The whole is known as a range too.
interval percent_of(interval part, interval whole);
double middle(interval);
// The sum of two that go by chance, each by itself: seldom are both at the same end.
interval sum_of_independent(interval, interval);
// The same around its middle, but at least so wide.
interval widened_to(interval, double width);

// Seconds in words: "0.20 to 0.74", or "0.20" where both ends look so.
std::string seconds_text(interval);

} // namespace toft::lab
