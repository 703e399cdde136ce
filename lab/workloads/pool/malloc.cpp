// SPDX-License-Identifier: MIT
// malloc and free of the allocator that is preloaded.
#include "doors.hpp"
#include "programs.hpp"

#include <cstdlib>

namespace toft::lab {
namespace {

struct malloc_door {
    static constexpr bool on_malloc = true;
    [[gnu::always_inline]] void *allocate(std::size_t size) { return std::malloc(size); }
    [[gnu::always_inline]] void free(void *object, std::size_t) { std::free(object); }
    template <class T>
    auto allocator() {
        return door_allocator<T, malloc_door>();
    }
};

} // namespace

void run_on_malloc(session &run) { measure_pool<malloc_door>(run); }

} // namespace toft::lab
