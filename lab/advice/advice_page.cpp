// SPDX-License-Identifier: MIT
#include "advice_page.hpp"

#include "advice_json.hpp"
#include "place_text.hpp"
#include "show/report_page.hpp"
#include "show/report_template.hpp"
#include "weighing.hpp"

#include <nlohmann/json.hpp>

namespace toft::lab {

template <>
struct json_fields<maker_total> {
    static constexpr std::tuple list = {json_field{"name", &maker_total::name},
                                        json_field{"objects", &maker_total::objects},
                                        json_field{"bytes", &maker_total::bytes},
                                        json_field{"byte_seconds", &maker_total::byte_seconds}};
};

template <>
struct json_fields<live_curve> {
    static constexpr std::tuple list = {json_field{"name", &live_curve::name},
                                        json_field{"bytes", &live_curve::bytes}};
};

template <>
struct json_fields<region_band> {
    static constexpr std::tuple list = {json_field{"begin", &region_band::begin},
                                        json_field{"end", &region_band::end},
                                        json_field{"lives", &region_band::lives}};
};

template <>
struct json_fields<region_bands> {
    static constexpr std::tuple list = {json_field{"line", &region_bands::line},
                                        json_field{"bands", &region_bands::bands}};
};

namespace {

nlohmann::json to_json(const flame_node &node) {
    nlohmann::json children = nlohmann::json::array();
    for (const flame_node &child : node.children) children.push_back(to_json(child));
    return {{"name", node.name},
            {"objects", node.objects},
            {"bytes", node.bytes},
            {"byte_seconds", node.byte_seconds},
            {"children", std::move(children)}};
}

// Templates' names would fill the page. Those of the drawings are short.
void shorten_names(nlohmann::json &data) {
    for (auto &[key, value] : data.items()) {
        if (value.is_structured()) shorten_names(value);
        if (key == "function") value = short_name(value.get<std::string>());
    }
}

} // namespace

std::string advice_page(const advice_report &report, const memory_history &history) {
    nlohmann::json data = report;
    shorten_names(data);
    data["schema"] = "toft-advice-page";
    const malloc_gain *smaller =
        report.mallocs.empty() ? nullptr : as_good_and_smaller(report.mallocs);
    data["smaller_malloc"] = smaller ? smaller->name : "";
    data["seconds"] = history.seconds;
    data["calls"] = to_json(history.calls);
    data["makers"] = history.makers;
    data["all_makers"] = history.all_makers;
    data["live_bytes"] = history.live_bytes;
    data["curves"] = history.curves;
    data["regions"] = history.regions;
    return page_with(advice_template(),
                     data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace toft::lab
