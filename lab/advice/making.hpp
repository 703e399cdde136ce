// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <span>
#include <string>
#include <vector>

// How a program's text makes objects, as far as the way from its line down to the heap tells, and
// what makes them in an arena instead.
namespace toft::lab {

struct making {
    enum class by {
        object,
        one_size, // objects by malloc, which may be arrays
        array,
        bytes,
        zeroed,
        aligned,
        copied_text,
        copied_part,
        container,
        shared,
        unique,
        unique_array
    };
    by how = by::object;
    std::string container = {}; // its name without "std::", such as "map"
    std::string was = {};       // in the text now: "`new T` was; no delete"
    bool in_scope = false;      // by the arena's own function
    std::uint64_t objects = 0;
    std::uint64_t alignment = 0; // of the aligned ones: the largest that was asked for
};

// Whether C++'s operator new is on the way from the line to the heap.
bool is_by_new(const made_objects &);

// Those that make a twentieth of the objects at least, and all containers, the most first; behind
// what malloc made in one size, what makes any other. `made` has an element for each site.
std::vector<making> makings_of(const advice &, std::span<const made_objects> made);

std::string code_in_c(const making &);
std::string code_in_cpp(const making &);
// What makes them far from the arena, as that is current: a container's type, or an allocator.
std::string type_by_current(const making &);

} // namespace toft::lab
