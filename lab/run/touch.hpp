// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace toft::lab {

// Maps that much memory (at most half of what the machine has available), writes to each 4 KiB of
// it, and gives it back, so that the kernel has that much memory ready. Costs about 0.1 s for each
// GiB on huge pages, and up to ten times as much when a virtual machine's host must first supply
// it.
void touch_memory(std::uint64_t bytes);

} // namespace toft::lab
