// SPDX-License-Identifier: MIT
// A shared library that is loaded late and unloaded early.
#pragma once

#include <doctest/doctest.h>

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>
#include <thread>

#include "support/build.hpp"
#include "support/mappings.hpp"

namespace toft_test {

class loaded_module {
  public:
    explicit loaded_module(const char *path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) std::fprintf(stderr, "%s\n", dlerror());
        REQUIRE(handle_ != nullptr);
    }
    ~loaded_module() { unload(); }
    loaded_module(const loaded_module &) = delete;
    loaded_module &operator=(const loaded_module &) = delete;

    template <class Function>
    Function *function(const char *name) const {
        return reinterpret_cast<Function *>(dlsym(handle_, name));
    }
    void unload() {
        if (handle_ != nullptr) dlclose(handle_);
        handle_ = nullptr;
    }

  private:
    void *handle_;
};

// Two threads that meet in glibc's malloc make it map 64 MiB for the one that comes second. Whether
// they ever meet is chance, so a test that counts mapped pages lets all threads share one heap.
inline void let_threads_share_malloc() {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

// use(module) leaves nothing mapped, however often.
template <class Module>
void check_that_nothing_stays_mapped(std::invocable<Module &> auto use) {
    let_threads_share_malloc();
    std::size_t before = 0;
    for (int i = 0; i < 50; i++) {
        Module module;
        use(module);
        module.unload();
        if (i == 10) before = mapped_pages();
    }
    if (!address_sanitizer && !thread_sanitizer) CHECK(mapped_pages() <= before + 64);
}

// use(module) on a thread that exits before the module is unloaded, and on one that exits after.
template <class Module>
void check_that_threads_may_exit(std::invocable<Module &> auto use) {
    for (int i = 0; i < 20; i++) {
        Module module;
        std::thread([&] { use(module); }).join();
        std::mutex mutex;
        std::condition_variable changed;
        bool used = false, unloaded = false;
        std::thread outlives([&] {
            std::unique_lock lock(mutex);
            use(module);
            used = true;
            changed.notify_all();
            changed.wait(lock, [&] { return unloaded; });
        });
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return used; });
        module.unload();
        unloaded = true;
        changed.notify_all();
        lock.unlock();
        outlives.join();
    }
}

} // namespace toft_test
