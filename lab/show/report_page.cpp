// SPDX-License-Identifier: MIT
#include "report_page.hpp"

#include "report_template.hpp"

#include <stdexcept>

namespace toft::lab {
namespace {

// In the template, where the result comes; see lab/report/index.html.
constexpr std::string_view place = "{\"toft\":\"result\"}";

// As it may stand inside a script element: nothing in it can end that.
std::string script_safe(const nlohmann::json &result) {
    std::string safe;
    for (const char c : result.dump()) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

} // namespace

bool report_is_built_in() { return !report_template().empty(); }

std::string report_page(const nlohmann::json &result) {
    std::string page(report_template());
    const auto at = page.find(place);
    if (at == std::string::npos) throw std::logic_error("the report has no place for a result");
    return page.replace(at, place.size(), script_safe(result));
}

} // namespace toft::lab
