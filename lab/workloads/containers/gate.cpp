// SPDX-License-Identifier: MIT
#include "gate.hpp"

#include <thread>
#include <vector>

namespace toft::lab {

gate::gate(session &run, unsigned threads) : session_(run), threads_(threads) {
    pthread_barrier_init(&barrier_, nullptr, threads);
}

gate::~gate() { pthread_barrier_destroy(&barrier_); }

void gate::run(const std::function<void(crew &)> &program) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads_; ++i)
        others.emplace_back([&] {
            crew place(*this, false);
            program(place);
        });
    crew place(*this, true);
    program(place);
}

void gate::crew::wait() {
    if (gate_.threads_ != 1) pthread_barrier_wait(&gate_.barrier_);
}

} // namespace toft::lab
