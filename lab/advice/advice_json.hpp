// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "result/json_fields.hpp"
#include "result/result_json.hpp"

#include <tuple>

// What `toft advise --json` writes; its layout is advice.schema.json.
namespace toft::lab {

constexpr const char *advice_schema = "toft-advice";
// Grows when a reader of the last layout would misread the next.
constexpr int advice_schema_version = 1;

template <>
struct json_words<remedy> {
    static constexpr json_word<remedy> list[] = {{remedy::leave, "leave"},
                                                 {remedy::arena, "arena"},
                                                 {remedy::reap, "reap"},
                                                 {remedy::pool, "pool"},
                                                 {remedy::inline_buffer, "inline buffer"},
                                                 {remedy::reserve, "reserve"}};
};

template <>
struct json_fields<source_place> {
    static constexpr std::tuple list = {json_field{"function", &source_place::function},
                                        json_field{"file", &source_place::file},
                                        json_field{"line", &source_place::line}};
};

template <>
struct json_fields<made_objects> {
    static constexpr std::tuple list = {json_field{"by", &made_objects::by},
                                        json_field{"way", &made_objects::way},
                                        json_field{"objects", &made_objects::objects},
                                        json_field{"bytes", &made_objects::bytes},
                                        json_field{"smallest_bytes", &made_objects::smallest},
                                        json_field{"largest_bytes", &made_objects::largest}};
};

template <>
struct json_fields<escaping_objects> {
    static constexpr std::tuple list = {json_field{"made", &escaping_objects::made},
                                        json_field{"escaping", &escaping_objects::escaping},
                                        json_field{"freed_by", &escaping_objects::freed_by},
                                        json_field{"at_least", &escaping_objects::at_least},
                                        json_field{"same_line", &escaping_objects::same_line}};
};

template <>
struct json_fields<replayed_change> {
    static constexpr std::tuple list = {
        json_field{"frees_kept", &replayed_change::frees_kept},
        json_field{"frees_hooked", &replayed_change::frees_hooked},
        json_field{"frees_dropped", &replayed_change::frees_dropped},
        json_field{"in_program", &replayed_change::in_program}};
};

template <>
struct json_fields<left_out_objects> {
    static constexpr std::tuple list = {
        json_field{"number", &left_out_objects::number},
        json_field{"objects", &left_out_objects::objects},
        json_field{"peak_percent", &left_out_objects::peak_percent},
        json_field{"replayed", &left_out_objects::replayed},
        json_field{"worth_its_memory", &left_out_objects::worth_its_memory}};
};

template <>
struct json_fields<malloc_gain> {
    static constexpr std::tuple list = {json_field{"name", &malloc_gain::name},
                                        json_field{"setting", &malloc_gain::setting},
                                        json_field{"cpu_percent", &malloc_gain::cpu_percent},
                                        json_field{"peak_percent", &malloc_gain::peak_percent},
                                        json_field{"measured", &malloc_gain::measured}};
};

template <>
struct json_fields<advice> {
    static constexpr std::tuple list = {
        json_field{"number", &advice::number},
        json_field{"what", &advice::what},
        json_field{"why", &advice::why},
        json_field{"scope", &advice::scope},
        json_field{"end", &advice::end},
        json_field{"objects", &advice::objects},
        json_field{"bytes", &advice::bytes},
        json_field{"smallest_bytes", &advice::smallest},
        json_field{"largest_bytes", &advice::largest},
        json_field{"lives", &advice::lives},
        json_field{"calls", &advice::calls},
        json_field{"most_in_a_life", &advice::most_in_a_life},
        json_field{"most_bytes_in_a_life", &advice::most_bytes_in_a_life},
        json_field{"never_freed", &advice::never_freed},
        json_field{"growths", &advice::growths},
        json_field{"grows_until_exit", &advice::grows_until_exit},
        json_field{"cpu_percent", &advice::cpu_percent},
        json_field{"peak_percent", &advice::peak_percent},
        json_field{"cpp", &advice::cpp},
        json_field{"in_library", &advice::in_library},
        json_field{"wrappers", &advice::wrappers},
        json_field{"beside_hook", &advice::beside_hook},
        json_field{"others_by_hook", &advice::others_by_hook},
        json_field{"other_bytes_by_hook", &advice::other_bytes_by_hook},
        json_field{"others_outliving", &advice::others_outliving},
        json_field{"others_of_lines", &advice::others_of_lines},
        json_field{"peak_percent_with_others", &advice::peak_percent_with_others},
        json_field{"replayed", &advice::replayed},
        json_field{"not_in_program", &advice::not_in_program},
        json_field{"left_out", &advice::left_out},
        json_field{"region_peak_bytes", &advice::region_peak_bytes},
        json_field{"malloc_peak_bytes", &advice::malloc_peak_bytes},
        json_field{"made", &advice::made},
        json_field{"more_makers", &advice::more_makers},
        json_field{"freed_by", &advice::freed_by},
        json_field{"more_freeing", &advice::more_freeing},
        json_field{"frees_others", &advice::frees_others},
        json_field{"escaping", &advice::escaping},
        json_field{"may_escape_unseen", &advice::may_escape_unseen},
        json_field{"escapes", &advice::escapes},
        json_field{"more_escapes", &advice::more_escapes},
        json_field{"sketch", &advice::sketch}};
};

template <>
struct json_fields<advice_report> {
    static constexpr std::tuple list = {
        json_field{"program", &advice_report::program},
        json_field{"recordings", &advice_report::recordings},
        json_field{"events", &advice_report::events},
        json_field{"objects", &advice_report::objects},
        json_field{"threads", &advice_report::threads},
        json_field{"peak_live_bytes", &advice_report::peak_live_bytes},
        json_field{"processor_seconds", &advice_report::processor_seconds},
        json_field{"region_percent", &advice_report::region_percent},
        json_field{"leave_it", &advice_report::leave_it},
        json_field{"sampled", &advice_report::sampled},
        json_field{"remarks", &advice_report::remarks},
        json_field{"notes", &advice_report::notes},
        json_field{"mallocs", &advice_report::mallocs},
        json_field{"malloc_first", &advice_report::malloc_first},
        json_field{"malloc_beyond_all", &advice_report::malloc_beyond_all},
        json_field{"replay_left_out", &advice_report::replay_left_out},
        json_field{"advice", &advice_report::lines}};
};

} // namespace toft::lab
