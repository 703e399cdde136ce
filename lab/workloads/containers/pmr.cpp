// SPDX-License-Identifier: MIT
// The standard library's own memory resources: the monotonic one, and the pool without locks.
#include "work.hpp"

namespace toft::lab {
namespace {

using monotonic = std::pmr::monotonic_buffer_resource;
using pool = std::pmr::unsynchronized_pool_resource;

void monotonic_resource(session &run, unsigned) {
    monotonic resource;
    measure_resource(run, resource, [&] { resource.release(); });
}

void monotonic_buffer_resource(session &run, unsigned) {
    alignas(64) std::array<std::byte, 16384> buffer;
    monotonic resource(buffer.data(), buffer.size());
    measure_resource(run, resource, [&] { resource.release(); });
}

constexpr container_programs with_resource(container_programs programs, container_program *added) {
    programs.resource = added;
    return programs;
}

constexpr container_programs pools() {
    container_programs programs = programs_of<resource_memory<pool>>();
    programs.pair = [](session &run, unsigned) {
        pool resource;
        measure_pairs(
            run, [&] { return resource.allocate(pair_bytes, 8); },
            [&](void *object) { resource.deallocate(object, pair_bytes, 8); });
    };
    return programs;
}

} // namespace

const container_programs monotonic_programs =
    with_resource(programs_of<resource_memory<monotonic>>(), monotonic_resource);
const container_programs monotonic_buffer_programs = programs_of<monotonic_memory<place::heap>>();
const container_programs monotonic_stack_programs =
    with_resource(programs_of<monotonic_memory<place::stack>>(), monotonic_buffer_resource);
const container_programs pool_programs = pools();
const container_programs pool_buffer_programs =
    programs_of<pool_over_buffer_memory<pool, place::heap>>();
const container_programs pool_stack_programs =
    programs_of<pool_over_buffer_memory<pool, place::stack>>();

} // namespace toft::lab
