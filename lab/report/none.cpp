// SPDX-License-Identifier: MIT
// Stands in for the page where the command is built without it.
#include "show/report_template.hpp"

std::string_view toft::lab::report_template() { return {}; }
