// SPDX-License-Identifier: MIT
#include "touch.hpp"

#include "machine.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace toft::lab {
namespace {

// In a child of a process that may have threads: calls of the system alone.
void map_and_touch(std::uint64_t bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return; // then the run finds the machine as it is
    madvise(memory, bytes, MADV_HUGEPAGE);
    auto *first = static_cast<volatile char *>(memory);
    for (std::uint64_t at = 0; at < bytes; at += 4096) first[at] = 1;
}

} // namespace

void touch_memory(std::uint64_t bytes) {
    bytes = std::min(bytes, available_memory_bytes() / 2);
    if (bytes == 0) return;
    const pid_t child = fork();
    if (child < 0) return;
    if (child == 0) {
        map_and_touch(bytes);
        _exit(0); // gives it back
    }
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
}

void touch_memory_for(std::uint64_t peak_bytes) {
    constexpr std::uint64_t hardly_any = 16U << 20U;
    constexpr std::uint64_t at_least = 128U << 20U;
    if (peak_bytes < hardly_any) return;
    // Half is added because the kernel may hand out other memory than what it was given back.
    touch_memory(std::max(at_least, peak_bytes + peak_bytes / 2));
}

} // namespace toft::lab
