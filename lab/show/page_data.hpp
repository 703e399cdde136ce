// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"

#include <nlohmann/json_fwd.hpp>

namespace toft::lab {

enum class page_samples { left_out, taken_along };

// What the report shows: the tables of the terminal, cell by cell, every figure of every row, and
// the words around them. It is far smaller than the result file: a figure is its median, its range
// and its spread, in six digits. Only with the samples has the page the whole result file, and the
// value of each process. lab/report/src/data.ts names each field for the page.
nlohmann::json page_data(const bench_result &, page_samples);

} // namespace toft::lab
