// SPDX-License-Identifier: MIT
#pragma once

#include "result/circumstances.hpp"
#include "run/runner.hpp"
#include "run/settings.hpp"

#include <nlohmann/json.hpp>
#include <string>

// The result file: every sample of every row, its figures, and the circumstances. Its layout is
// written down in result.schema.json; the version grows when a reader of the last one would misread
// the next.
namespace toft::lab {

inline constexpr const char *result_schema = "toft-bench";
inline constexpr int result_schema_version = 2;

nlohmann::json to_json(const outcome &, const settings &, const circumstances &);

// Throws std::runtime_error, which says what is wrong, when the file can't be read or isn't a
// result file of this version.
nlohmann::json read_result(const std::string &path);

} // namespace toft::lab
