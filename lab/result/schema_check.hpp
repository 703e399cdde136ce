// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace toft::lab {

// result.schema.json, which the build puts into the command.
std::string_view result_schema_text();

// Holds a document to a schema. It knows the words of JSON Schema that result.schema.json uses;
// another one throws std::logic_error, so that no rule of the schema is ever passed over. Says the
// first fault and its place, "at /suites/0/rows/3/threads: -1 is less than 0"; empty: none.
std::string find_schema_fault(const nlohmann::json &document, const nlohmann::json &schema);

} // namespace toft::lab
