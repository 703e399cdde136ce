// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// Memory straight from the system, for the loops without an allocator.
namespace toft::lab {

enum class huge_pages { wanted, unwanted };

struct mapping {
    char *begin = nullptr; // aligned to 2 MiB
    void *whole = nullptr; // what was mapped to get that alignment
    std::size_t whole_bytes = 0;
};

mapping map_memory(std::size_t bytes, huge_pages); // throws std::bad_alloc
void unmap_memory(const mapping &);

} // namespace toft::lab
