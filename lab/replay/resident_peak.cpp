// SPDX-License-Identifier: MIT
#include "resident_peak.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

// A line of /proc/self/status, read without a call of the heap, which is what is measured.
std::uint64_t bytes_of(const char *key) {
    std::array<char, 4096> text{};
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
    if (length <= 0) throw std::system_error(errno, std::generic_category(), "/proc/self/status");
    close(file);
    const char *line = std::strstr(text.data(), key);
    return line ? std::strtoull(line + std::strlen(key), nullptr, 10) * 1024 : 0;
}

// Where the kernel doesn't let the mark be taken back, it stands where it stood: near the memory of
// now, since nothing large has been freed before.
void take_mark_back() {
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    static_cast<void>(!write(file, "5", 1));
    close(file);
}

} // namespace

void become_small() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    take_mark_back();
}

resident_peak::resident_peak() : bytes_before_(bytes_of("VmRSS:")) { take_mark_back(); }

std::uint64_t resident_peak::bytes() const {
    const std::uint64_t highest = bytes_of("VmHWM:");
    return highest > bytes_before_ ? highest - bytes_before_ : 0;
}

} // namespace toft::lab
