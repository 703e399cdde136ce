// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <limits>

// What the values of options are held to, beyond what CLI11 brings.
namespace toft::lab {

// CLI::PositiveNumber's, but for what it says, and that it can have a bound.
CLI::Validator more_than_zero(double most = std::numeric_limits<double>::infinity());

// CLI::Range's, which lets NaN into every range.
CLI::Validator range(double least, double most);

// An empty value is mostly that of a variable which a script hasn't set. Taken for none, it would
// drop without a word what was asked for.
extern const CLI::Validator not_empty;

// Nor is an output called "-": whoever writes that means standard output, where words come too.
extern const CLI::Validator file_name;

extern const CLI::Validator without_percent_sign; // "3%" is 3

// "64K" is 65536, as in the variables of libtoft-malloc.
extern const CLI::Validator bytes_above_zero;

} // namespace toft::lab
