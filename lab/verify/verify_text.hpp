// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "advice/symbols.hpp"
#include "show/printer.hpp"
#include "verified_program.hpp"

namespace toft::lab {

// What a run has shown of a piece of advice.
void print_verified(const verified_run &, const advice &, const symbol_source &, printer &);

} // namespace toft::lab
