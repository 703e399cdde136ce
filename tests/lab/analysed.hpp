// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "advice/scopes.hpp"

#include <cstdint>
#include <vector>

// What is found in one recording, step by step.
struct analysed {
    toft::lab::stack_tree tree;
    toft::lab::lifetimes all;
    std::vector<toft::lab::scope_group> groups;
    std::vector<toft::lab::found_region> regions;
};

// Any call may be a scope.
inline analysed analyse(const toft::lab::recording &r) {
    analysed a;
    const std::vector<std::uint32_t> nodes = a.tree.merge(r);
    add_lifetimes(a.all, r, a.tree, nodes);
    a.groups = group_by_scope(a.all, a.tree, [](std::uint32_t) { return true; });
    a.regions = find_regions(a.groups, a.all, a.tree, [&](const auto &look) { look(r, nodes); });
    return a;
}
