// SPDX-License-Identifier: MIT
#include "gate.hpp"

#include <algorithm>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace toft::lab {
namespace {

// Whatever `ulimit -s` is: without a limit the C library gives threads 2 MiB.
void make_stacks_large() {
    rlimit limit{};
    bool done = getrlimit(RLIMIT_STACK, &limit) == 0;
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, gate::stack_bytes);
    pthread_attr_t of_others{};
    done = done && setrlimit(RLIMIT_STACK, &limit) == 0 && pthread_attr_init(&of_others) == 0 &&
           pthread_attr_setstacksize(&of_others, gate::stack_bytes) == 0 &&
           pthread_setattr_default_np(&of_others) == 0;
    if (!done) throw std::runtime_error("`ulimit -s` allows no stack of 8 MiB");
}

} // namespace

void gate::run(const std::function<void(crew &)> &program) {
    make_stacks_large();
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads_; ++i)
        others.emplace_back([&] {
            crew place(*this, false);
            program(place);
        });
    crew place(*this, true);
    program(place);
}

} // namespace toft::lab
