// SPDX-License-Identifier: MIT
#pragma once

#include "result/row.hpp"
#include "table.hpp"

#include <cstdint>
#include <string>

// Figures of rows as cells of a table. A row without figures, or whose figures mean nothing, gives
// a dash, which never is a column's best. Where a time would stand, a row that failed says so.
namespace toft::lab {

inline const cell dash{"-"};

// Whether the row's figures may stand in a table, win there, or be what others are divided by.
// Those of a row that was elided or that failed may be of other work.
bool has_figures(const row &);

// The cell as it is. When the row is a yardstick, which doesn't compete, it loses its value, so
// that it is never a column's best.
cell in_competition(const row &, cell);

cell milliseconds_cell(const row &, const selection &, clock_kind = clock_kind::cpu);
cell per_operation_cell(const row &, const selection &, clock_kind = clock_kind::cpu); // ns
cell per_microsecond_cell(const row &, const selection &);                             // operations
cell spread_cell(const row &, const selection &); // "±3%", of CPU time

// The row's median divided by the reference's; a dash when one of them has none. When one of the
// two is noisy, a tilde stands before the ratio.
cell ratio_cell(const row &, const row *reference, const selection &);

// How much faster the row is than the reference: "1.40", or "none" where that is within noise, or
// "loses 1.20". A dash for the reference itself, and where one of them has fewer than three
// processes, which don't tell their noise.
cell gain_cell(const row &, const row *reference, const selection &);

cell peak_cell(const row &);    // MiB of the process
cell faults_cell(const row &);  // page faults of the process, minor and major
cell count_cell(std::uint64_t); // 1,234,567

// What faults_cell() shows; without samples, zero.
std::uint64_t page_faults_of(const row &);

// Without its fraction; the largest there is for what is larger, as a broken file may have it.
std::uint64_t whole_number(double);

std::string with_commas(std::uint64_t);
std::string with_commas(double, int decimals);         // "1,234.5"
std::string counted(std::uint64_t, const char *thing); // "1,000 objects", "1 object"

} // namespace toft::lab
