// SPDX-License-Identifier: MIT
#pragma once

#include "measurement_json.hpp"
#include "result.hpp"

// The layout of the result file, one list of keys for each type. result.schema.json says what each
// key means to a reader of the file.
namespace toft::lab {

template <>
struct json_words<verdict> {
    static constexpr json_word<verdict> list[] = {{verdict::sound, "sound"},
                                                  {verdict::noisy, "noisy"},
                                                  {verdict::elided, "elided"},
                                                  {verdict::failed, "failed"}};
};

template <>
struct json_words<which_rounds> {
    static constexpr json_word<which_rounds> list[] = {{which_rounds::first, "first"},
                                                       {which_rounds::later, "later"}};
};

template <>
struct json_words<clock_kind> {
    static constexpr json_word<clock_kind> list[] = {{clock_kind::cpu, "cpu_ns"},
                                                     {clock_kind::wall, "wall_ns"}};
};

template <>
struct json_words<change> {
    static constexpr json_word<change> list[] = {{change::none, "none"},
                                                 {change::faster, "faster"},
                                                 {change::slower, "slower"},
                                                 {change::unsure, "unsure"}};
};

template <>
struct json_words<row_role> {
    static constexpr json_word<row_role> list[] = {{row_role::judged, "judged"},
                                                   {row_role::control, "control"},
                                                   {row_role::bystander, "bystander"}};
};

template <>
struct json_fields<process_times> {
    static constexpr std::tuple list = {
        json_field{"median", &process_times::median}, json_field{"lowest", &process_times::lowest},
        json_field{"highest", &process_times::highest},
        json_field{"spread", &process_times::spread}, json_field{"values", &process_times::values}};
};

template <>
struct json_fields<selection> {
    static constexpr std::tuple list = {json_field{"phases", &selection::phases},
                                        json_field{"first_round", &selection::first_round},
                                        json_field{"last_round", &selection::last_round}};
};

template <>
struct json_fields<figure> {
    static constexpr std::tuple list = {
        json_field{"phase", &figure::phase},           json_field{"rounds", &figure::rounds},
        json_field{"whole", &figure::whole},           json_field{nullptr, &figure::of},
        json_field{"operations", &figure::operations}, json_field{"cpu_ns", &figure::cpu_ns},
        json_field{"wall_ns", &figure::wall_ns}};
};

template <>
struct json_fields<row> {
    static constexpr std::tuple list = {json_field{"case", &row::case_name},
                                        json_field{"subject", &row::subject},
                                        json_field{"allocator", &row::allocator},
                                        json_field{"by_allocator", &row::by_allocator},
                                        json_field{"is_toft", &row::is_toft},
                                        json_field{"competes", &row::competes},
                                        json_field{"noisy_spread", &row::noisy_spread},
                                        json_field{"threads", &row::threads},
                                        json_field{"repetitions", &row::repetitions},
                                        json_field{"verdict", &row::judged},
                                        json_field{"problem", &row::problem},
                                        json_field{"remark", &row::remark},
                                        json_field{"figures", &row::figures},
                                        json_field{"samples", &row::samples},
                                        json_field{"counted", &row::counted}};
};

template <>
struct json_fields<bench_case> {
    static constexpr std::tuple list = {
        json_field{"name", &bench_case::name},
        json_field{"title", &bench_case::title},
        json_field{"repetition_factor", &bench_case::repetition_factor},
        json_field{"threads", &bench_case::threads},
        json_field{"only_full", &bench_case::only_full},
        json_field{"family", &bench_case::family},
        json_field{"object_bytes", &bench_case::object_bytes},
        json_field{"header", &bench_case::header}};
};

template <>
struct json_fields<suite_result> {
    static constexpr std::tuple list = {json_field{"name", &suite_result::name},
                                        json_field{"summary", &suite_result::summary},
                                        json_field{"conclusion", &suite_result::conclusion},
                                        json_field{"size", &suite_result::size},
                                        json_field{"size_unit", &suite_result::size_unit},
                                        json_field{"cases", &suite_result::cases},
                                        json_field{"rows", &suite_result::rows}};
};

template <>
struct json_fields<machine_facts> {
    static constexpr std::tuple list = {
        json_field{"cpu", &machine_facts::cpu},
        json_field{"cpus", &machine_facts::cpus},
        json_field{"hypervisor", &machine_facts::hypervisor},
        json_field{"memory_bytes", &machine_facts::memory_bytes},
        json_field{"system", &machine_facts::system},
        json_field{"kernel", &machine_facts::kernel},
        json_field{"huge_pages", &machine_facts::huge_pages},
        json_field{"huge_pages_defrag", &machine_facts::huge_pages_defrag},
        json_field{"frequency_governor", &machine_facts::frequency_governor},
        json_field{"frequency_mhz", &machine_facts::frequency_mhz}};
};

template <>
struct json_fields<load_facts> {
    static constexpr std::tuple list = {
        json_field{"average_at_start", &load_facts::average_at_start},
        json_field{"others_cpus", &load_facts::others_cpus},
        json_field{"stolen_share", &load_facts::stolen_share}};
};

template <>
struct json_fields<build_facts> {
    static constexpr std::tuple list = {
        json_field{"compiler", &build_facts::compiler}, json_field{"flags", &build_facts::flags},
        json_field{"type", &build_facts::type}, json_field{"optimised", &build_facts::optimised},
        json_field{"toft_version", &build_facts::toft_version}};
};

template <>
struct json_fields<allocator> {
    static constexpr std::tuple list = {
        json_field{"name", &allocator::name}, json_field{"library", &allocator::preload},
        json_field{"version", &allocator::version}, json_field{"package", &allocator::package},
        json_field{"setting", &allocator::setting}};
};

template <>
struct json_fields<omission> {
    static constexpr std::tuple list = {json_field{"what", &omission::what},
                                        json_field{"why", &omission::why}};
};

template <>
struct json_fields<interval> {
    static constexpr std::tuple list = {json_field{"low", &interval::low},
                                        json_field{"high", &interval::high}};
};

template <>
struct json_fields<compared_figure> {
    static constexpr std::tuple list = {json_field{"suite", &compared_figure::suite},
                                        json_field{"case", &compared_figure::case_name},
                                        json_field{"row", &compared_figure::row},
                                        json_field{"phase", &compared_figure::phase},
                                        json_field{"rounds", &compared_figure::rounds},
                                        json_field{"clock", &compared_figure::clock},
                                        json_field{"role", &compared_figure::role},
                                        json_field{"whole", &compared_figure::whole},
                                        json_field{"old_ns", &compared_figure::old_ns},
                                        json_field{"new_ns", &compared_figure::new_ns},
                                        json_field{"ratio", &compared_figure::ratio},
                                        json_field{nullptr, &compared_figure::between},
                                        json_field{"visible", &compared_figure::visible},
                                        json_field{"change", &compared_figure::called},
                                        json_field{"why", &compared_figure::why},
                                        json_field{"processes", &compared_figure::processes},
                                        json_field{"noisy", &compared_figure::noisy}};
};

template <>
struct json_fields<compared_case> {
    static constexpr std::tuple list = {json_field{"suite", &compared_case::suite},
                                        json_field{"case", &compared_case::case_name},
                                        json_field{"phase", &compared_case::phase},
                                        json_field{"rounds", &compared_case::rounds},
                                        json_field{"clock", &compared_case::clock},
                                        json_field{"controls", &compared_case::controls},
                                        json_field{"ratio", &compared_case::ratio}};
};

template <>
struct json_fields<compared_suite> {
    static constexpr std::tuple list = {
        json_field{"suite", &compared_suite::suite},
        json_field{"controls", &compared_suite::controls},
        json_field{"shared", &compared_suite::shared},
        json_field{"judged", &compared_suite::judged},
        json_field{"visible", &compared_suite::visible},
        json_field{"visible_in_all", &compared_suite::visible_in_all},
        json_field{"least_sure", &compared_suite::least_sure},
        json_field{"not_judged", &compared_suite::not_judged}};
};

template <>
struct json_fields<comparison> {
    static constexpr std::tuple list = {json_field{"differences", &comparison::differences},
                                        json_field{"unmatched", &comparison::unmatched},
                                        json_field{"not_judged", &comparison::not_judged},
                                        json_field{"suites", &comparison::suites},
                                        json_field{"cases", &comparison::cases},
                                        json_field{"figures", &comparison::figures}};
};

template <>
struct json_fields<bench_result> {
    static constexpr std::tuple list = {json_field{"started", &bench_result::started},
                                        json_field{"command_line", &bench_result::command_line},
                                        json_field{"seconds", &bench_result::seconds},
                                        json_field{"full", &bench_result::full},
                                        json_field{"interrupted", &bench_result::interrupted},
                                        json_field{"warnings", &bench_result::warnings},
                                        json_field{"machine", &bench_result::machine},
                                        json_field{"load", &bench_result::load},
                                        json_field{"build", &bench_result::build},
                                        json_field{"allocators", &bench_result::allocators},
                                        json_field{"environment", &bench_result::environment},
                                        json_field{"left_out", &bench_result::left_out},
                                        json_field{"suites", &bench_result::suites},
                                        json_field{"comparison", &bench_result::compared}};
};

} // namespace toft::lab
