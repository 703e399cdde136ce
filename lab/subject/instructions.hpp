// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace toft::lab {

// The instructions that this process and its threads have run in user mode since the first call, as
// the processor counts them. Nothing where it doesn't count, as in most virtual machines, or where
// the kernel doesn't let us ask (kernel.perf_event_paranoid above 2).
std::optional<std::uint64_t> read_instructions();

} // namespace toft::lab
