// SPDX-License-Identifier: MIT
#include "touch.hpp"

#include "machine.hpp"

#include <algorithm>
#include <sys/mman.h>

namespace toft::lab {

void touch_memory(std::uint64_t bytes) {
    bytes = std::min(bytes, available_memory_bytes() / 2);
    if (bytes == 0) return;
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return; // then the run finds the machine as it is
    madvise(memory, bytes, MADV_HUGEPAGE);
    auto *first = static_cast<volatile char *>(memory);
    for (std::uint64_t at = 0; at < bytes; at += 4096) first[at] = 1;
    munmap(memory, bytes);
}

} // namespace toft::lab
