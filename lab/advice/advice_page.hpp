// SPDX-License-Identifier: MIT
#pragma once

#include "history.hpp"

#include <string>

// The page of `toft advise --html`: one file that needs no other. Its template is made from
// lab/report and built into the command.
namespace toft::lab {

// Only when it is built in.
std::string advice_page(const advice_report &, const memory_history &);

} // namespace toft::lab
