// SPDX-License-Identifier: MIT
#include "footprint.hpp"

#include "live_bytes.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

// The second number of /proc/self/statm counts pages. It is read without a call of the heap, which
// may be what is measured.
std::uint64_t resident_bytes() {
    std::array<char, 128> text{};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
    if (length <= 0) throw std::system_error(errno, std::generic_category(), "/proc/self/statm");
    close(file);
    char *rest = nullptr;
    std::strtoull(text.data(), &rest, 10);
    return std::strtoull(rest, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void raise_to(std::atomic<std::uint64_t> &highest, std::uint64_t now) {
    std::uint64_t before = highest;
    while (now > before && !highest.compare_exchange_weak(before, now)) {}
}

double beyond(std::uint64_t before, std::uint64_t bytes) {
    return bytes > before ? static_cast<double>(bytes - before) : 0;
}

} // namespace

footprint::footprint() : bytes_before_(resident_bytes()) {}

void footprint::note_peak() {
    raise_to(peak_bytes_, resident_bytes());
    raise_to(live_peak_bytes_, live_bytes);
}

void footprint::report_peak(session &run) const {
    run.set_figure(resident_peak, beyond(bytes_before_, peak_bytes_));
    if (run.counted()) run.set_figure(live_peak, static_cast<double>(live_peak_bytes_));
}

void footprint::report_now(session &run, const char *figure) const {
    run.set_figure(figure, beyond(bytes_before_, resident_bytes()));
}

} // namespace toft::lab
