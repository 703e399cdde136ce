// SPDX-License-Identifier: MIT
// The standard library's pool with locks. In this suite no two threads ever want the same lock.
#include "work.hpp"

namespace toft::lab {

using sync_pool = std::pmr::synchronized_pool_resource;

const container_programs sync_pool_programs = programs_of<resource_memory<sync_pool>>();
const container_programs sync_pool_buffer_programs =
    programs_of<pool_over_buffer_memory<sync_pool, place::heap>>();
const container_programs sync_pool_stack_programs =
    programs_of<pool_over_buffer_memory<sync_pool, place::stack>>();

} // namespace toft::lab
