// SPDX-License-Identifier: MIT
// A shared library that holds a pool can be loaded late and unloaded: nothing is left mapped, and
// no thread that exits later runs its code.
#include <doctest/doctest.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "support/build.hpp"

namespace {

class module {
  public:
    module() :handle_(dlopen(TOFT_POOL_MODULE, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) std::fprintf(stderr, "%s\n", dlerror());
        REQUIRE(handle_ != nullptr);
        use_pools_ = reinterpret_cast<int (*)()>(dlsym(handle_, "module_use_pools"));
        alloc_ = reinterpret_cast<void *(*)(std::size_t)>(dlsym(handle_, "module_alloc"));
        free_ = reinterpret_cast<void (*)(void *, std::size_t)>(dlsym(handle_, "module_free"));
    }
    ~module() { unload(); }
    module(const module &) = delete;
    module &operator=(const module &) = delete;

    bool use_pools() { return use_pools_() == 0; }
    void *alloc(std::size_t size) { return alloc_(size); }
    void free(void *object, std::size_t size) { free_(object, size); }
    void unload() {
        if (handle_ != nullptr) dlclose(handle_);
        handle_ = nullptr;
    }

  private:
    void *handle_;
    int (*use_pools_)();
    void *(*alloc_)(std::size_t);
    void (*free_)(void *, std::size_t);
};

std::size_t mapped_pages() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

} // namespace

TEST_CASE("loading a pool, using and unloading it in a loop leaves nothing mapped") {
    std::size_t before = 0;
    for (int i = 0; i < 50; i++) {
        module loaded;
        CHECK(loaded.use_pools());
        loaded.unload();
        if (i == 10) before = mapped_pages();
    }
    if (!toft_test::address_sanitizer && !toft_test::thread_sanitizer)
        CHECK(mapped_pages() <= before + 64);
}

TEST_CASE("what it allocated stays valid until it is unloaded, whichever thread frees it") {
    module loaded;
    void *object = nullptr;
    std::thread([&] { std::memset(object = loaded.alloc(300), 7, 300); }).join();
    CHECK(static_cast<char *>(object)[299] == 7);
    loaded.free(object, 300);
}

TEST_CASE("a thread that used its pools may exit before it is unloaded, or after") {
    for (int i = 0; i < 20; i++) {
        module loaded;
        std::thread([&] { CHECK(loaded.use_pools()); }).join();
        std::mutex mutex;
        std::condition_variable changed;
        bool used = false, unloaded = false;
        std::thread outlives([&] {
            std::unique_lock lock(mutex);
            CHECK(loaded.use_pools());
            used = true;
            changed.notify_all();
            changed.wait(lock, [&] { return unloaded; });
        });
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return used; });
        loaded.unload();
        unloaded = true;
        changed.notify_all();
        lock.unlock();
        outlives.join();
    }
}
