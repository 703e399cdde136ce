// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "show/printer.hpp"

namespace toft::lab {

void print_advice(const advice_report &, printer &);

} // namespace toft::lab
