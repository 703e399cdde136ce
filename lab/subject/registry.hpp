// SPDX-License-Identifier: MIT
#pragma once

#include "suite.hpp"

#include <string>
#include <vector>

// Every suite there is. A suite adds itself, in a source file that is linked with the command:
//
//     const added_suite tree([] { return suite{.name = "tree", ...}; });
//
// so that neither this room nor the command has to name it. See docs/your-own-subject.md.
namespace toft::lab {

// Adds the suite that the function makes. Only for globals: the suites are made after main began.
struct added_suite {
    explicit added_suite(suite (*make)());
};

// By their places, hidden ones last. Lives as long as the program.
const std::vector<suite> &all_suites();

// Throws std::invalid_argument, which says what there is.
const suite &find_suite(const std::string &name);

} // namespace toft::lab
