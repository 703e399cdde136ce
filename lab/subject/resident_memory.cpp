// SPDX-License-Identifier: MIT
#include "resident_memory.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

std::array<char, 4096> text_of(const char *path) {
    std::array<char, 4096> text{};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
    if (length <= 0) throw std::system_error(errno, std::generic_category(), path);
    close(file);
    return text;
}

// The number of KiB behind the key.
std::uint64_t bytes_in(const char *path, const char *key) {
    const auto text = text_of(path);
    const char *line = std::strstr(text.data(), key);
    return line ? std::strtoull(line + std::strlen(key), nullptr, 10) * 1024 : 0;
}

} // namespace

// The second number of /proc/self/statm counts pages.
std::uint64_t resident_bytes() {
    const auto text = text_of("/proc/self/statm");
    char *rest = nullptr;
    std::strtoull(text.data(), &rest, 10);
    return std::strtoull(rest, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t highest_resident_bytes() { return bytes_in("/proc/self/status", "VmHWM:"); }

std::uint64_t bytes_on_huge_pages() {
    constexpr const char *path = "/proc/self/smaps_rollup"; // Linux has it from 4.14 on
    return access(path, R_OK) == 0 ? bytes_in(path, "AnonHugePages:") : 0;
}

} // namespace toft::lab
