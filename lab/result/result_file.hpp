// SPDX-License-Identifier: MIT
#pragma once

#include "result.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

// The result file: every sample of every row, its figures, and the circumstances. Its layout is
// written down in result.schema.json; the version grows when a reader of the last one would misread
// the next.
namespace toft::lab {

inline constexpr const char *result_schema = "toft-bench";
inline constexpr int result_schema_version = 5;

nlohmann::json to_document(const bench_result &);

// Throws std::runtime_error, which says what is wrong, when the file can't be read or isn't a
// result file of this version.
bench_result read_result(const std::string &path);

} // namespace toft::lab
