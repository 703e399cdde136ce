// SPDX-License-Identifier: MIT
#pragma once

#include "suite.hpp"

#include <string>
#include <vector>

// Every suite there is. A new one is a function here and a line in registry.cpp.
namespace toft::lab {

suite tree_suite();
suite arena_suite();
suite pool_suite();
suite binary_trees_suite();
suite containers_suite();
suite planted_suite();

// A suite that the registry needn't know: a global of this type, in a source file that is linked
// with the command, adds what the function makes. See docs/your-own-subject.md.
struct added_suite {
    explicit added_suite(suite (*make)());
};

// In the order of the default selection; hidden ones last. Lives as long as the program.
const std::vector<suite> &all_suites();

// Throws std::invalid_argument, which says what there is.
const suite &find_suite(const std::string &name);

} // namespace toft::lab
