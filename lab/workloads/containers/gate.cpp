// SPDX-License-Identifier: MIT
#include "gate.hpp"

#include <thread>
#include <vector>

namespace toft::lab {

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

} // namespace toft::lab
