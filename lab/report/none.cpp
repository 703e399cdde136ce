// SPDX-License-Identifier: MIT
// Stands in for the pages where the command is built without it.
#include "show/report_template.hpp"

std::string_view toft::lab::report_template() { return {}; }
std::string_view toft::lab::advice_template() { return {}; }
