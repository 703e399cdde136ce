// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace toft::lab {

// Those that this process and its threads have run in user mode since the first call, as the
// processor counts them. Always 0 where it doesn't, as in most virtual machines, or where the
// kernel doesn't let us ask (kernel.perf_event_paranoid above 2).
std::uint64_t read_instructions();

} // namespace toft::lab
