// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"

#include <cstdint>

// Asks the system, and the compiler, what a measurement happens on.
namespace toft::lab {

machine_facts look_at_machine();
build_facts look_at_build();

// The memory that can be used now without swapping, within the control group's limit; 0 when it
// can't be known.
std::uint64_t available_memory_bytes();

} // namespace toft::lab
