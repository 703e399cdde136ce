// SPDX-License-Identifier: MIT
// A shared library that holds a pool can be loaded late and unloaded: nothing is left mapped, and
// no thread that exits later runs its code.
#include <atomic>
#include <barrier>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/module.hpp"

namespace {

struct module : toft_test::loaded_module {
    explicit module(const char *path = TOFT_POOL_MODULE) : loaded_module(path) {}
    int (*use_pools)() = function<int()>("module_use_pools");
    void *(*alloc)(std::size_t) = function<void *(std::size_t)>("module_alloc");
    void (*free)(void *, std::size_t) = function<void(void *, std::size_t)>("module_free");
};

void use(module &loaded) { CHECK(loaded.use_pools() == 0); }

} // namespace

TEST_CASE("loading a pool, using and unloading it in a loop leaves nothing mapped") {
    toft_test::check_that_nothing_stays_mapped<module>(use);
}

TEST_CASE("what it allocated stays valid until it is unloaded, whichever thread frees it") {
    module loaded;
    void *object = nullptr;
    std::thread([&] { std::memset(object = loaded.alloc(300), 7, 300); }).join();
    CHECK(static_cast<char *>(object)[299] == 7);
    loaded.free(object, 300);
}

TEST_CASE("a thread that used its pools may exit before it is unloaded, or after") {
    toft_test::check_that_threads_may_exit<module>(use);
}

TEST_CASE("a thread that used its pools may be ending while it is unloaded") {
    // Nobody can wait for a detached thread that has returned from the library and is giving back
    // what it kept.
    const int rounds = toft_test::fewer_rounds() ? 50 : 150;
    constexpr int threads = 8;
    for (int round = 0; round < rounds; round++) {
        module loaded;
        std::atomic<int> left = threads;
        for (int t = 0; t < threads; t++)
            std::thread([&loaded, &left] {
                std::vector<std::pair<void *, std::size_t>> objects;
                for (std::size_t size = 8; size <= 32768; size += size / 8 + 8)
                    for (int i = 0; i < (size < 1024 ? 400 : 60); i++)
                        objects.emplace_back(loaded.alloc(size), size);
                for (const auto &[object, size] : objects) loaded.free(object, size);
                left--;
            }).detach();
        while (left != 0) std::this_thread::yield();
        loaded.unload();
    }
}

TEST_CASE("50 libraries with a Toft inside, loaded late and side by side") {
    // Each is a file of its own, so that the system takes it for another library. What they share
    // is the room that the system has left for thread-local variables.
    namespace fs = std::filesystem;
    fs::path folder = fs::temp_directory_path() / ("toft-modules-" + std::to_string(getpid()));
    fs::create_directories(folder);
    {
        std::vector<std::unique_ptr<module>> modules;
        for (int i = 0; i < 50; i++) {
            fs::path copy = folder / (std::to_string(i) + ".so");
            fs::copy_file(TOFT_POOL_MODULE, copy);
            modules.push_back(std::make_unique<module>(copy.c_str()));
            use(*modules.back());
        }
        std::thread([&] {
            for (auto &loaded : modules) use(*loaded);
        }).join();
    }
    fs::remove_all(folder);
}

TEST_CASE("unloading gives back what threads keep that live on") {
    toft_test::let_threads_share_malloc();
    std::size_t before = 0;
    for (int i = 0; i < 40; i++) {
        module loaded;
        std::barrier<> used(5), unloaded(5);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; t++)
            threads.emplace_back([&] {
                use(loaded);
                used.arrive_and_wait();
                unloaded.arrive_and_wait();
            });
        used.arrive_and_wait();
        loaded.unload();
        unloaded.arrive_and_wait();
        for (auto &thread : threads) thread.join();
        if (i == 10) before = toft_test::mapped_pages();
    }
    if (!toft_test::address_sanitizer && !toft_test::thread_sanitizer)
        CHECK(toft_test::mapped_pages() <= before + 16); // fewer than one each time
}
