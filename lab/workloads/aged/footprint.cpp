// SPDX-License-Identifier: MIT
#include "footprint.hpp"

#include "live_bytes.hpp"
#include "subject/resident_memory.hpp"

#include <algorithm>
#include <utility>

namespace toft::lab {
namespace {

double beyond(std::uint64_t before, std::uint64_t bytes) {
    return bytes > before ? static_cast<double>(bytes - before) : 0;
}

} // namespace

table_column resident_column(std::string header, const char *figure) {
    return {.header = std::move(header),
            .shows = quantity::figure,
            .group = "resident MiB",
            .name = figure,
            .scale = 1.0 / (1 << 20)};
}

footprint::footprint() : bytes_before_(resident_bytes()) {}

void footprint::note_peak() {
    peak_bytes_ = std::max(peak_bytes_, resident_bytes());
    live_peak_bytes_ = std::max(live_peak_bytes_, live_bytes.load());
}

void footprint::report_peak(session &run) const {
    run.set_figure(resident_peak, beyond(bytes_before_, peak_bytes_));
    if (run.counted()) run.set_figure(live_peak, static_cast<double>(live_peak_bytes_));
}

void footprint::report_now(session &run, const char *figure) const {
    run.set_figure(figure, beyond(bytes_before_, resident_bytes()));
}

} // namespace toft::lab
