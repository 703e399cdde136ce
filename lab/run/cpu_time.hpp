// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <sys/resource.h>

namespace toft::lab {

// What the processes took of the CPU, for the program and for the kernel.
inline std::uint64_t cpu_ns_of(const rusage &usage) {
    const auto nanoseconds = [](const timeval &t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
               static_cast<std::uint64_t>(t.tv_usec) * 1'000U;
    };
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

} // namespace toft::lab
