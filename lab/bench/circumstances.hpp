// SPDX-License-Identifier: MIT
#pragma once

#include "load.hpp"
#include "machine.hpp"

#include <string>
#include <vector>

namespace toft::lab {

// When, where and how a result came about.
struct circumstances {
    std::vector<std::string> command_line;
    std::string started; // UTC, ISO 8601
    double seconds = 0;  // that it took
    machine_facts machine;
    build_facts build;
    load_facts load;
};

} // namespace toft::lab
