// SPDX-License-Identifier: MIT
#include "registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

namespace toft::lab {

const std::vector<suite> &all_suites() {
    static const std::vector<suite> suites = {tree_suite(),         arena_suite(),
                                              pool_suite(),         containers_suite(),
                                              binary_trees_suite(), planted_suite()};
    return suites;
}

const suite &find_suite(const std::string &name) {
    std::vector<std::string> names;
    for (const suite &s : all_suites()) {
        if (s.name == name) return s;
        if (!s.hidden) names.push_back(s.name);
    }
    throw std::invalid_argument(
        fmt::format("no suite is named '{}'; there are: {}", name, fmt::join(names, ", ")));
}

} // namespace toft::lab
