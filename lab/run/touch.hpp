// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace toft::lab {

// Before a run of a program whose peak of memory is known from an earlier run (0: there was none):
// has half as much again written to and given back, so that the kernel has it ready. Without this,
// a virtual machine's host, which takes free memory back after a second or two, would make the
// first run after a pause pay for getting it again, and a malloc on huge pages most of all. Nothing
// is done for a program that needs hardly any.
void touch_memory_for(std::uint64_t peak_bytes);

// A child of this process writes to each 4 KiB of that much memory (at most half of what the
// machine has available), so that this process's own peak stays what it was. Takes about 0.1 s for
// each GiB on huge pages, and up to ten times as much when the host must first supply it.
void touch_memory(std::uint64_t bytes);

} // namespace toft::lab
