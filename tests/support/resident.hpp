// SPDX-License-Identifier: MIT
// How much physical memory this process has, where the system tells.
#ifndef TOFT_TESTS_SUPPORT_RESIDENT_HPP
#define TOFT_TESTS_SUPPORT_RESIDENT_HPP

#include <cstddef>
#include <cstdio>
#include <unistd.h>

namespace toft_test {

// 0 where it can't be known.
inline std::size_t resident_bytes() {
    std::size_t total = 0, resident = 0;
    if (FILE *file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace toft_test

#endif
