// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

// The report: one HTML page that needs nothing else, made from lab/report and built into the
// command, with a result in it.
namespace toft::lab {

// False when the command was built without it: TOFT_REPORT=OFF, or no npm then.
bool report_is_built_in();

// Only when it is built in.
std::string report_page(const nlohmann::json &result);

} // namespace toft::lab
