// SPDX-License-Identifier: MIT
// Toft's pool in three ways: the process's pool, a pool that the program made, and the handle of a
// thread's cache, which no container takes.
#include "doors.hpp"
#include "programs.hpp"

#include <toft/pool.hpp>

namespace toft::lab {
namespace {

constexpr const char *version = TOFT_LAB_VERSION;

struct shared_door {
    static constexpr bool on_malloc = false;
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        return toft_pool_alloc(toft_pool_shared(), size);
    }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        toft_pool_free(toft_pool_shared(), object, size);
    }
    template <class T>
    auto allocator() {
        return pool_allocator<T>();
    }
};

toft_pool *own_pool() {
    static const pool own;
    return own.c_pool();
}

struct own_door {
    static constexpr bool on_malloc = false;
    toft_pool *own = own_pool();
    [[gnu::always_inline]] void *allocate(std::size_t size) { return toft_pool_alloc(own, size); }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        toft_pool_free(own, object, size);
    }
    template <class T>
    auto allocator() {
        return toft::allocator<T, pool>(own);
    }
};

struct handle_door {
    static constexpr bool on_malloc = false;
    toft_pool_cache *handle = toft_pool_thread_cache(toft_pool_shared());
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        return toft_pool_cache_alloc(handle, size);
    }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        toft_pool_cache_free(handle, object, size);
    }
};

} // namespace

void run_on_shared_pool(session &run) {
    run.set_version(version);
    measure_pool<shared_door>(run);
}
void run_on_own_pool(session &run) {
    run.set_version(version);
    measure_pool<own_door>(run);
}
void run_on_pool_handle(session &run) {
    run.set_version(version);
    measure_pool<handle_door>(run);
}

} // namespace toft::lab
