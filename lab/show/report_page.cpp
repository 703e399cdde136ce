// SPDX-License-Identifier: MIT
#include "report_page.hpp"

#include "report_template.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace toft::lab {
namespace {

// The place in a template where the data is put; see lab/report/index.html and advice.html.
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

std::string page_with(std::string_view page_template, const std::string &json) {
    std::string page(page_template);
    const auto at = page.find(place);
    if (at == std::string::npos) throw std::logic_error("the page has no place for its data");
    return page.replace(at, place.size(), script_safe(json));
}

std::string report_page(const bench_result &result, page_samples samples) {
    constexpr auto readable = nlohmann::json::error_handler_t::replace; // what isn't UTF-8
    return page_with(report_template(), page_data(result, samples).dump(-1, ' ', false, readable));
}

} // namespace toft::lab
