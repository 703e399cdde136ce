// SPDX-License-Identifier: MIT
// A shared library that holds Toft can be unloaded: nothing is left mapped, and no thread that
// exits later runs its code.
#include <doctest/doctest.h>

#include <condition_variable>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "support/build.hpp"

namespace {

class module {
  public:
    module() :handle_(dlopen(TOFT_MODULE, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) std::fprintf(stderr, "%s\n", dlerror());
        REQUIRE(handle_ != nullptr);
    }
    ~module() { unload(); }
    module(const module &) = delete;
    module &operator=(const module &) = delete;

    int use_arenas() { return reinterpret_cast<int (*)()>(dlsym(handle_, "module_use_arenas"))(); }
    void unload() {
        if (handle_ != nullptr) dlclose(handle_);
        handle_ = nullptr;
    }

  private:
    void *handle_;
};

std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) count++;
    return count;
}

} // namespace

TEST_CASE("loading, using and unloading in a loop leaves nothing mapped") {
    std::size_t before = 0;
    for (int i = 0; i < 50; i++) {
        module loaded;
        CHECK(loaded.use_arenas() == 0);
        loaded.unload();
        if (i == 10) before = mappings();
    }
    if (!toft_test::address_sanitizer && !toft_test::thread_sanitizer)
        CHECK(mappings() <= before + 5);
}

TEST_CASE("a thread that used it may exit before it is unloaded, or after") {
    for (int i = 0; i < 20; i++) {
        module loaded;
        std::thread([&] { CHECK(loaded.use_arenas() == 0); }).join();
        std::mutex mutex;
        std::condition_variable changed;
        bool used = false, unloaded = false;
        std::thread outlives([&] {
            std::unique_lock lock(mutex);
            CHECK(loaded.use_arenas() == 0);
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
