// SPDX-License-Identifier: MIT
#include "report_page.hpp"

#include "report_template.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace toft::lab {
namespace {

// The place in the template where the result is put; see lab/report/index.html.
constexpr std::string_view place = "{\"toft\":\"result\"}";

// The text with every < escaped, so that nothing in it can end the script element around it.
std::string script_safe(const std::string &text) {
    std::string safe;
    for (const char c : text) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

} // namespace

bool report_is_built_in() { return !report_template().empty(); }

std::string report_page(const bench_result &result, page_samples samples) {
    std::string page(report_template());
    const auto at = page.find(place);
    if (at == std::string::npos) throw std::logic_error("the report has no place for a result");
    return page.replace(at, place.size(), script_safe(page_data(result, samples).dump()));
}

} // namespace toft::lab
