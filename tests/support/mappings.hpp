// SPDX-License-Identifier: MIT
// How many mappings this process has, and pages in them, where the system tells.
#ifndef TOFT_TESTS_SUPPORT_MAPPINGS_HPP
#define TOFT_TESTS_SUPPORT_MAPPINGS_HPP

#include <cstddef>
#include <cstdio>
#include <fstream>

namespace toft_test {

// 0 where it can't be known.
inline std::size_t mapping_count() {
    std::size_t lines = 0;
    if (FILE *file = std::fopen("/proc/self/maps", "r")) {
        for (int c; (c = std::fgetc(file)) != EOF;) lines += c == '\n';
        std::fclose(file);
    }
    return lines;
}

inline std::size_t mapped_pages() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

} // namespace toft_test

#endif
