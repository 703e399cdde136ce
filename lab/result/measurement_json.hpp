// SPDX-License-Identifier: MIT
#pragma once

#include "json_fields.hpp"
#include "subject/measurement.hpp"

// What one process says of the subject that it ran, as it goes through the pipe to its parent and
// into the result file.
namespace toft::lab {

template <>
struct json_fields<cost> {
    static constexpr std::tuple list = {json_field{"wall_ns", &cost::wall_ns},
                                        json_field{"cpu_ns", &cost::cpu_ns},
                                        json_field{"minor_faults", &cost::minor_faults},
                                        json_field{"major_faults", &cost::major_faults},
                                        json_field{"instructions", &cost::instructions}};
};

template <>
struct json_fields<phase_sample> {
    static constexpr std::tuple list = {json_field{"phase", &phase_sample::phase},
                                        json_field{"round", &phase_sample::round},
                                        json_field{"operations", &phase_sample::operations},
                                        json_field{"allocations", &phase_sample::allocations},
                                        json_field{nullptr, &phase_sample::spent}};
};

template <>
struct json_fields<toft_heap_counts> {
    static constexpr std::tuple list = {
        json_field{"allocations", &toft_heap_counts::allocations},
        json_field{"deallocations", &toft_heap_counts::deallocations},
        json_field{"bytes", &toft_heap_counts::bytes}};
};

template <>
struct json_fields<resident_sample> {
    static constexpr std::tuple list = {json_field{"at_ns", &resident_sample::at_ns},
                                        json_field{"bytes", &resident_sample::bytes}};
};

template <>
struct json_fields<measurement> {
    static constexpr std::tuple list = {
        json_field{"phases", &measurement::phases},
        json_field{"heap", &measurement::heap},
        json_field{"expected_heap_allocations", &measurement::expected_heap_allocations},
        json_field{"chunks", &measurement::chunks},
        json_field{"peak_bytes", &measurement::peak_bytes},
        json_field{"minor_faults", &measurement::minor_faults},
        json_field{"major_faults", &measurement::major_faults},
        json_field{"process_cpu_ns", &measurement::process_cpu_ns},
        json_field{"figures", &measurement::figures},
        json_field{"resident", &measurement::resident},
        json_field{"after", &measurement::after},
        json_field{"version", &measurement::version},
        json_field{"failure", &measurement::failure}};
};

} // namespace toft::lab
