// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "advice/stack_tree.hpp"

#include <cstdint>
#include <vector>

// The advised stacks as steps from the region's function down to the heap, as plan.h lays them out.
namespace toft::lab {

struct planned_step {
    std::uint32_t module = 0;
    std::uint64_t address = 0;
    std::uint32_t site = 0;           // its number and 1; 0: none
    std::vector<std::uint32_t> after; // the steps that follow
};

// A piece of the code of an inlined copy.
struct planned_code {
    std::uint32_t copy = 0; // its number, from 1
    code_range code;
};

struct region_plan {
    std::vector<recorded_module> modules;
    std::uint32_t region_module = 0;
    std::vector<std::uint64_t> region_parts; // where the parts of its function begin
    std::vector<planned_code> copies;        // of it that were inlined, inner ones first
    std::vector<planned_step> steps; // the first is the region's function; those that follow one
                                     // stand side by side
    std::uint32_t sites = 0;         // equal ways below the function are one
};

region_plan plan_of(const advice &, const stack_tree &, const code_source &);

} // namespace toft::lab
