// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>

// What is done with each memory of this suite, n being the suite's size. A program has rounds, of
// which the first finds cold memory. Phases:
//
//   list, map, hash, vector, string    build, churn, traverse, teardown
//   rolling list   build: 100,000 elements; steps: n / 100 times all touched, the first erased, one
//                  pushed; teardown
//   small vector   pushes: n / 4 times a vector of 16 or 64 ints, pushed one by one
//   pair           pairs: 100 n times 64 bytes allocated and freed at once
//   resource       allocations: 8 bytes each through the virtual interface
namespace toft::lab {

inline constexpr unsigned container_rounds = 5;
inline constexpr unsigned first_warm_round = 2;
inline constexpr unsigned rolling_list_rounds = 3; // long ones

using container_program = void(session &, unsigned threads);

// The programs for one memory. One that is null isn't run with this memory.
struct container_programs {
    container_program *list = nullptr;
    container_program *vector = nullptr;
    container_program *map = nullptr;
    container_program *hash = nullptr;
    container_program *string = nullptr;
    container_program *rolling_list = nullptr;
    container_program *small_vector = nullptr;
    container_program *pair = nullptr;
    container_program *resource = nullptr;
};

// heap.cpp
extern const container_programs heap_programs;
extern const container_programs heap_reserve_programs; // vectors only, with a reserve first
// pmr.cpp
extern const container_programs monotonic_programs, monotonic_buffer_programs,
    monotonic_stack_programs;
extern const container_programs pool_programs, pool_buffer_programs, pool_stack_programs;
// pmr_synchronized.cpp
extern const container_programs sync_pool_programs, sync_pool_buffer_programs,
    sync_pool_stack_programs;
// toft.cpp
extern const container_programs arena_programs, arena_stack_programs;
extern const container_programs region_vector_programs; // small vectors only, on the stack
extern const container_programs reap_programs, reap_stack_programs;
extern const container_programs shared_pool_programs, pool_handle_programs; // the latter: pairs
// toft_resource.cpp
extern const container_programs arena_resource_programs, arena_resource_stack_programs;
extern const container_programs reap_resource_programs, reap_resource_stack_programs;
extern const container_programs pool_resource_programs;

} // namespace toft::lab
