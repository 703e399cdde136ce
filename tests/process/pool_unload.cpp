// SPDX-License-Identifier: MIT
// A shared library that holds a pool can be loaded late and unloaded: nothing is left mapped, and
// no thread that exits later runs its code.
#include <cstring>

#include "support/module.hpp"

namespace {

struct module : toft_test::loaded_module {
    module() :loaded_module(TOFT_POOL_MODULE) {}
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
