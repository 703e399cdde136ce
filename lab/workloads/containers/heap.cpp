// SPDX-License-Identifier: MIT
// The containers as they come: new and delete for each node.
#include "work.hpp"

#include <new>

namespace toft::lab {
namespace {

constexpr container_programs make() {
    container_programs programs = programs_of<heap_memory>();
    programs.pair = [](session &run, unsigned) {
        measure_pairs(
            run, [] { return ::operator new(pair_bytes); },
            [](void *object) { ::operator delete(object, pair_bytes); });
    };
    return programs;
}

} // namespace

const container_programs heap_programs = make();
const container_programs heap_reserve_programs = {.seed_vector =
                                                      seed_vector_program<heap_memory, true>};

} // namespace toft::lab
