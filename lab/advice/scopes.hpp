// SPDX-License-Identifier: MIT
#pragma once

#include "lifetimes.hpp"
#include "stack_tree.hpp"

#include <cstdint>
#include <functional>
#include <vector>

// Which calls could own which sites' objects. A change to the program is made in its text, not in
// one stack: an arena in parse() is there wherever parse() is called from. So a site may belong to
// a call of parse() only when the same way from parse() down to an allocation, below any other
// callers, never makes an object that outlives its parse().
namespace toft::lab {

struct owned_site {
    std::uint32_t site = 0;  // a node of the tree
    std::uint32_t scope = 0; // the frame that owns its objects; 0: the whole life of its thread
};

// All sites whose owning calls are of one function.
struct scope_group {
    std::uint32_t function = 0; // one of its frames; 0: no function, but the thread's whole life
    std::vector<owned_site> sites;
};

// Each site that has a scope is in one group. A call for which `can_own` is false owns nothing; its
// callers may.
std::vector<scope_group> group_by_scope(const lifetimes &, const stack_tree &,
                                        const std::function<bool(std::uint32_t node)> &can_own);

// Whether most calls of the heap for these sites are for objects that grow: reserved memory does
// more for those than an arena.
bool mostly_grow(const std::vector<owned_site> &, const lifetimes &);

} // namespace toft::lab
