// SPDX-License-Identifier: MIT
// A shared library that holds Toft can be unloaded: nothing is left mapped, and no thread that
// exits later runs its code.
#include "support/module.hpp"

namespace {

struct module : toft_test::loaded_module {
    module() :loaded_module(TOFT_MODULE) {}
    int (*use_arenas)() = function<int()>("module_use_arenas");
};

void use(module &loaded) { CHECK(loaded.use_arenas() == 0); }

} // namespace

TEST_CASE("loading, using and unloading in a loop leaves nothing mapped") {
    toft_test::check_that_nothing_stays_mapped<module>(use);
}

TEST_CASE("a thread that used it may exit before it is unloaded, or after") {
    toft_test::check_that_threads_may_exit<module>(use);
}
