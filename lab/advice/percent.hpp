// SPDX-License-Identifier: MIT
#pragma once

#include "result/compared.hpp"

// Ranges as parts of others.
namespace toft::lab {

// No change of the heap gains all of a program's time, nor is the model right where it says so: an
// end of a range that lies here is an end that isn't known.
inline constexpr double most_percent = 95;

// The whole is known as a range too.
interval percent_of(interval part, interval whole);
double middle(interval);
// The same around its middle, but at least so wide.
interval widened_to(interval, double width);

} // namespace toft::lab
