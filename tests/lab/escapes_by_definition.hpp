// SPDX-License-Identifier: MIT
#pragma once

#include "planted_program.hpp"

// How many objects of these sites outlive the innermost call of the function that they were made
// in, by the definition and event by event: between an object's allocation and its end, each event
// of its thread must stand within that call, and its end must be of its thread. Node 0 is the whole
// life of a thread. The sites and the function are the program's own stacks.
std::size_t escapes_by_definition(const planted_program &, std::uint32_t function,
                                  const std::vector<std::uint32_t> &sites);
