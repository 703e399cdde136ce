// SPDX-License-Identifier: MIT
#pragma once

#include "printer.hpp"
#include "result/compared.hpp"

namespace toft::lab {

// What changed, and how much could be told; with `all`, every figure that was compared.
void print_comparison(const comparison &, bool all, printer &);

// What the comparison says to a bound.
void print_bound(const comparison &, double bound_percent, printer &);

} // namespace toft::lab
