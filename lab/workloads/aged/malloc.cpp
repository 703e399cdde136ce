// SPDX-License-Identifier: MIT
// malloc and free of the allocator that is preloaded.
#include "programs.hpp"
#include "ways.hpp"

#include <cstdlib>

namespace toft::lab {
namespace {

struct malloc_door {
    static constexpr bool on_malloc = true;
    static constexpr bool for_one_thread = false;
    static constexpr bool drops_frees = false;
    [[gnu::always_inline]] void *allocate(std::size_t size) { return std::malloc(size); }
    [[gnu::always_inline]] void free(void *object, std::size_t) { std::free(object); }
    void *resize(void *object, std::size_t, std::size_t size) { return std::realloc(object, size); }
    void end_of_round() {}
};

} // namespace

void age_malloc(session &run) { age<malloc_door>(run); }

} // namespace toft::lab
