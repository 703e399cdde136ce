// SPDX-License-Identifier: MIT
#include "advice_page.hpp"

#include "advice_json.hpp"
#include "advice_words.hpp"
#include "show/report_page.hpp"
#include "show/report_template.hpp"

#include <nlohmann/json.hpp>

namespace toft::lab {

template <>
struct json_fields<paragraph> {
    static constexpr std::tuple list = {json_field{"text", &paragraph::text},
                                        json_field{"items", &paragraph::items}};
};

template <>
struct json_fields<maker_words> {
    static constexpr std::tuple list = {
        json_field{"place", &maker_words::place}, json_field{"objects", &maker_words::objects},
        json_field{"sizes", &maker_words::sizes}, json_field{"bytes", &maker_words::bytes},
        json_field{"way", &maker_words::way},     json_field{"others", &maker_words::others}};
};

template <>
struct json_fields<advice_words> {
    static constexpr std::tuple list = {json_field{"number", &advice_words::number},
                                        json_field{"what", &advice_words::what},
                                        json_field{"function", &advice_words::function},
                                        json_field{"is_small", &advice_words::is_small},
                                        json_field{"headline", &advice_words::headline},
                                        json_field{"gain", &advice_words::gain},
                                        json_field{"origin", &advice_words::origin},
                                        json_field{"reasons", &advice_words::reasons},
                                        json_field{"made", &advice_words::made},
                                        json_field{"makers", &advice_words::makers},
                                        json_field{"more_makers", &advice_words::more_makers},
                                        json_field{"fate", &advice_words::fate},
                                        json_field{"sketch", &advice_words::sketch}};
};

template <>
struct json_fields<malloc_row> {
    static constexpr std::tuple list = {
        json_field{"name", &malloc_row::name}, json_field{"way", &malloc_row::way},
        json_field{"time", &malloc_row::time}, json_field{"peak", &malloc_row::peak}};
};

template <>
struct json_fields<malloc_words> {
    static constexpr std::tuple list = {json_field{"best", &malloc_words::best},
                                        json_field{"left_out", &malloc_words::left_out},
                                        json_field{"rows", &malloc_words::rows}};
};

template <>
struct json_fields<report_words> {
    static constexpr std::tuple list = {json_field{"program", &report_words::program},
                                        json_field{"about", &report_words::about},
                                        json_field{"mallocs", &report_words::mallocs},
                                        json_field{"conclusions", &report_words::conclusions},
                                        json_field{"lines", &report_words::lines},
                                        json_field{"closing", &report_words::closing}};
};

template <>
struct json_fields<maker_total> {
    static constexpr std::tuple list = {
        json_field{"name", &maker_total::name}, json_field{"objects", &maker_total::objects},
        json_field{"bytes", &maker_total::bytes},
        json_field{"byte_seconds", &maker_total::byte_seconds},
        json_field{"bytes_with_calls", &maker_total::bytes_with_calls}};
};

template <>
struct json_fields<live_curve> {
    static constexpr std::tuple list = {json_field{"name", &live_curve::name},
                                        json_field{"peak_bytes", &live_curve::peak_bytes},
                                        json_field{"bytes", &live_curve::bytes}};
};

template <>
struct json_fields<region_band> {
    static constexpr std::tuple list = {json_field{"begin", &region_band::begin},
                                        json_field{"end", &region_band::end}};
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

} // namespace

std::string advice_page(const advice_report &report, const memory_history &history) {
    nlohmann::json data = words_of(report);
    data["schema"] = "toft-advice-page";
    data["recordings"] = report.recordings;
    data["remarks"] = report.remarks;
    data["notes"] = report.notes;
    data["seconds"] = history.seconds;
    data["calls"] = to_json(history.calls);
    data["makers"] = history.makers;
    data["all_makers"] = history.all_makers;
    data["curves"] = history.curves;
    data["regions"] = history.regions;
    return page_with(advice_template(),
                     data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

} // namespace toft::lab
