// SPDX-License-Identifier: MIT
#include "resident_peak.hpp"

#include "subject/resident_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace toft::lab {
namespace {

// Where the kernel doesn't let the mark be taken back, it stands where it stood: near the memory of
// now, since nothing large has been freed before.
void take_mark_back() {
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    static_cast<void>(!write(file, "5", 1));
    close(file);
}

} // namespace

resident_peak::resident_peak() : bytes_before_(resident_bytes()) { take_mark_back(); }

std::uint64_t resident_peak::bytes() const {
    const std::uint64_t highest = highest_resident_bytes();
    return highest > bytes_before_ ? highest - bytes_before_ : 0;
}

} // namespace toft::lab
