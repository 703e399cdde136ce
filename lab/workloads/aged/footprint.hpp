// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"
#include "subject/tables.hpp"

#include <cstdint>
#include <string>

// How much of this process's memory is resident while a program of the suite runs.
namespace toft::lab {

// The names of the figures: bytes beyond what was resident before the first round.
inline constexpr const char *resident_peak = "resident_peak";
inline constexpr const char *live_peak = "live_peak"; // of a counted run: bytes of live objects
inline constexpr const char *resident_freed = "resident_freed";
inline constexpr const char *resident_later = "resident_later";

// One of these figures in MiB.
table_column resident_column(std::string header, const char *figure);

class footprint {
  public:
    footprint(); // what is resident now isn't the program's

    void note_peak(); // where most objects live; by one thread at a time
    void report_peak(session &) const;
    void report_now(session &, const char *figure) const;

  private:
    std::uint64_t bytes_before_;
    std::uint64_t peak_bytes_ = 0;
    std::uint64_t live_peak_bytes_ = 0;
};

} // namespace toft::lab
