// SPDX-License-Identifier: MIT
// The containers with their default allocator: new and delete for each node.
#include "work.hpp"

#include <array>
#include <memory>

namespace toft::lab {
namespace {

constexpr container_programs make() {
    container_programs programs = programs_of<heap_memory>();
    programs.pair = [](session &run, unsigned) {
        using block = std::array<std::byte, pair_bytes>;
        std::allocator<block> heap;
        measure_pairs(
            run, [&]() -> void * { return heap.allocate(1); },
            [&](void *object) { heap.deallocate(static_cast<block *>(object), 1); });
    };
    return programs;
}

} // namespace

const container_programs heap_programs = make();
const container_programs heap_reserve_programs = {.small_vector =
                                                      small_vector_program<heap_memory, true>};

} // namespace toft::lab
