// SPDX-License-Identifier: MIT
#include "result_file.hpp"

#include "result_json.hpp"
#include "schema_check.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <system_error>

using nlohmann::json;

namespace toft::lab {

json to_document(const bench_result &result) {
    json document = result;
    document["schema"] = result_schema;
    document["schema_version"] = result_schema_version;
    return document;
}

// Empty where it is something else, or isn't there.
static std::string text_of(const json &document, const char *name) {
    const json value = document.value(name, json());
    return value.is_string() ? value.get<std::string>() : std::string();
}

bench_result read_result(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::system_error(errno, std::generic_category(), "can't read " + path);
    json document = json::parse(file, nullptr, false);
    if (!document.is_object() || text_of(document, "schema") != result_schema)
        throw std::runtime_error(path + " is no result file of toft bench --json");
    const json version = document.value("schema_version", json());
    if (version != result_schema_version)
        throw std::runtime_error(
            fmt::format("{} has version {} of the result file, and this toft reads version {}: "
                        "measure again with one of the two",
                        path, version.dump(), result_schema_version));
    const std::string fault = find_schema_fault(document, json::parse(result_schema_text()));
    if (!fault.empty()) throw std::runtime_error(fmt::format("{} is broken: {}", path, fault));
    try {
        document.erase("schema");
        document.erase("schema_version");
        return document.get<bench_result>();
    } catch (const json::exception &e) { // a number that its type can't hold, for one
        throw std::runtime_error(fmt::format("{} is broken: {}", path, e.what()));
    }
}

} // namespace toft::lab
