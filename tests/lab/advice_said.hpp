// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice_text.hpp"
#include "command.hpp"
#include "printed.hpp"

#include <string>

// What toft advise says of a report, in one line.
inline std::string said_of(const toft::lab::advice_report &report) {
    using toft::lab::printed_by, toft::lab::printer;
    return unwrapped(printed_by([&](printer &out) { print_advice(report, out); }));
}
