// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "table.hpp"

#include <cstdint>
#include <string>

// Figures of rows as cells of a table. A row without figures, and one whose figures mean nothing,
// gives a dash that competes for nothing.
namespace toft::lab {

// Whether the row's figures may stand in a table.
bool has_figures(const row &);

// The same cell; without its value when the row is a limit, not a competitor.
cell in_competition(const row &, cell);

cell milliseconds_cell(const row &, const selection &, clock_kind = clock_kind::cpu);
cell per_operation_cell(const row &, const selection &);   // ns
cell per_microsecond_cell(const row &, const selection &); // operations
cell spread_cell(const row &, const selection &);          // "±3%", of CPU time

// The row's median divided by the reference's; a dash when either has none. A tilde stands before
// a ratio of two figures of which one is noisy.
cell ratio_cell(const row &, const row *reference, const selection &);

cell count_cell(std::uint64_t);    // 1,234,567
cell mebibytes_cell(double bytes); // 12.3

std::string with_commas(std::uint64_t);

} // namespace toft::lab
