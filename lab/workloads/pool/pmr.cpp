// SPDX-License-Identifier: MIT
// The standard library's pool for several threads.
#include "doors.hpp"
#include "programs.hpp"

#include <memory_resource>

namespace toft::lab {
namespace {

std::pmr::synchronized_pool_resource &resource() {
    static std::pmr::synchronized_pool_resource pools(std::pmr::new_delete_resource());
    return pools;
}

struct pmr_door {
    static constexpr bool on_malloc = false;
    std::pmr::memory_resource *pools = &resource();
    [[gnu::always_inline]] void *allocate(std::size_t size) { return pools->allocate(size); }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        pools->deallocate(object, size);
    }
    template <class T>
    auto allocator() {
        return std::pmr::polymorphic_allocator<T>(pools);
    }
};

} // namespace

void run_on_pmr_synchronized_pool(session &run) { measure_pool<pmr_door>(run); }

} // namespace toft::lab
