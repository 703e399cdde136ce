// SPDX-License-Identifier: MIT
#include "instructions.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace toft::lab {
namespace {

// Threads that are started later are counted too. The descriptor lives as long as the process.
int open_counter() {
    perf_event_attr what{};
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.inherit = 1;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

} // namespace

std::optional<std::uint64_t> read_instructions() {
    static const int counter = open_counter();
    std::uint64_t count = 0;
    if (counter < 0 || read(counter, &count, sizeof count) != sizeof count) return std::nullopt;
    return count;
}

} // namespace toft::lab
