// SPDX-License-Identifier: MIT
// Toft's arena, reap and pool behind std::pmr.
#include "work.hpp"

namespace toft::lab {
namespace {

template <class Strategy>
void resource(session &run, unsigned) {
    Strategy memory;
    strategy_resource<Strategy> door(memory);
    measure_resource(run, door, [&] { memory.reset(); });
}

template <class Strategy, place Place>
constexpr container_programs resources() {
    container_programs programs = programs_of<toft_resource_memory<Strategy, Place>>();
    if (Place == place::heap) programs.resource = resource<Strategy>;
    return programs;
}

} // namespace

const container_programs arena_resource_programs = resources<arena, place::heap>();
const container_programs arena_resource_stack_programs = resources<arena, place::stack>();
const container_programs reap_resource_programs = resources<reap, place::heap>();
const container_programs reap_resource_stack_programs = resources<reap, place::stack>();
const container_programs pool_resource_programs = programs_of<shared_pool_resource_memory>();

} // namespace toft::lab
