// SPDX-License-Identifier: MIT
#pragma once

#include "page_data.hpp"
#include "result/result.hpp"

#include <string>
#include <string_view>

// The report: one HTML page with a result in it, which needs no other file. Its template is made
// from lab/report and built into the command.
namespace toft::lab {

// False when the command was built without it: TOFT_REPORT=OFF, or no npm then.
bool report_is_built_in();

// The template with the data in its place.
std::string page_with(std::string_view page_template, const std::string &json);

// Only when it is built in.
std::string report_page(const bench_result &, page_samples = page_samples::left_out);

} // namespace toft::lab
