// SPDX-License-Identifier: MIT
#include "registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>
#include <tuple>

namespace toft::lab {

namespace {

using maker = suite (*)();

// Globals of other files add to it before main, in an order that nobody knows. So it is made when
// the first of them asks for it.
std::vector<maker> &makers() {
    static std::vector<maker> added;
    return added;
}

std::vector<suite> make_all() {
    std::vector<suite> suites;
    for (const maker make : makers()) suites.push_back(make());
    std::sort(suites.begin(), suites.end(), [](const suite &a, const suite &b) {
        return std::tie(a.hidden, a.place, a.name) < std::tie(b.hidden, b.place, b.name);
    });
    return suites;
}

} // namespace

added_suite::added_suite(suite (*make)()) { makers().push_back(make); }

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
