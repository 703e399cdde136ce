// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The memory of this process that is resident, read without a call of the heap, which may be what
// is measured. Throws std::system_error when the system doesn't tell.
namespace toft::lab {

std::uint64_t resident_bytes();

// What of this process's own memory lies on huge pages; 0 where the kernel doesn't tell, too.
std::uint64_t bytes_on_huge_pages();

// The most that this program has had, as the kernel notes it. getrusage's ru_maxrss doesn't do: it
// survives exec, so it starts at the size of the process that started this one.
std::uint64_t highest_resident_bytes();

} // namespace toft::lab
