// SPDX-License-Identifier: MIT
// `toft record`: what a program asks of its heap, into a file.
#include "command.hpp"

#include <fmt/format.h>
#include <span>

namespace toft::lab {
namespace {

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
    return unit ? fmt::format("{:.1f} {}", amount, units[unit]) : fmt::format("{} B", bytes);
}

std::string notes_on(const recorded_totals &t) {
    std::string notes;
    if (t.missed_events)
        notes += fmt::format("; {} calls in signal handlers or without memory weren't recorded",
                             t.missed_events);
    if (!t.incomplete.empty()) notes += "; incomplete: " + t.incomplete;
    return notes;
}

void tell(const finished_recording &done) {
    if (done.files.empty())
        return fmt::print(stderr, "toft record: nothing was recorded in {}\n", done.path);
    const recorded_totals &first = done.files.front();
    fmt::print(stderr, "toft record: {}: {} calls, {} objects of {}, in {}{}\n", first.path,
               first.calls, first.allocations, bytes_text(first.requested_bytes),
               bytes_text(first.file_bytes), notes_on(first));
    if (done.files.size() == 1) return;
    std::uint64_t calls = 0, file_bytes = 0;
    for (const recorded_totals &t : std::span(done.files).subspan(1)) {
        calls += t.calls;
        file_bytes += t.file_bytes;
    }
    fmt::print(stderr,
               "  and {} files of processes that it started or was before: {} calls, in {}\n",
               done.files.size() - 1, calls, bytes_text(file_bytes));
}

} // namespace

int run_record(const record_request &asked) {
    const finished_recording done = record_program(asked);
    tell(done);
    return status_like(done.wait_status);
}

} // namespace toft::lab
