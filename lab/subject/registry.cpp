// SPDX-License-Identifier: MIT
#include "registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

namespace toft::lab {

namespace {

using maker = suite (*)();

// Filled before main, by globals of other files: so it must be there before any of them.
std::vector<maker> &added_makers() {
    static std::vector<maker> makers;
    return makers;
}

std::vector<suite> make_all() {
    std::vector<suite> suites = {tree_suite(), arena_suite(), pool_suite(), containers_suite(),
                                 binary_trees_suite()};
    for (const maker make : added_makers()) suites.push_back(make());
    suites.push_back(planted_suite());
    return suites;
}

} // namespace

added_suite::added_suite(suite (*make)()) { added_makers().push_back(make); }

const std::vector<suite> &all_suites() {
    static const std::vector<suite> suites = make_all();
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
