// SPDX-License-Identifier: MIT
#include "result_file.hpp"

#include "result_json.hpp"
#include "schema_check.hpp"

#include <cerrno>
#include <climits>
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

// Values are copied and shown by functions that call themselves for what is in them: a file of
// nothing but brackets would take all of the stack. A result's own are 10 deep.
static json parse(std::istream &file) {
    constexpr int deepest = 64;
    bool too_deep = false;
    json document = json::parse(
        file,
        [&](int depth, json::parse_event_t, const json &) {
            too_deep |= depth > deepest;
            return !too_deep;
        },
        true);
    return too_deep ? json() : document;
}

// What the layout can't say, and readers rely on: a figure is made of phases, in rounds that the
// processes had, and a round has a phase at least. Empty: it is so.
static std::string find_unmeasured_figure(const bench_result &result) {
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) {
            const std::size_t most = r.samples.empty() ? 0 : r.samples.front().phases.size();
            for (const figure &f : r.figures)
                if (f.of.phases.empty() || f.of.first_round > f.of.last_round ||
                    f.of.last_round - f.of.first_round >= most ||
                    f.of.last_round == UINT_MAX) // which no loop would ever pass
                    return fmt::format(
                        "the figure {} of {}, {} is of rounds or phases that weren't "
                        "measured",
                        f.phase, r.case_name, r.title());
        }
    return {};
}

bench_result read_result(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::system_error(errno, std::generic_category(), "can't read " + path);
    json document;
    try {
        document = parse(file);
    } catch (const json::parse_error &e) {
        throw std::runtime_error(fmt::format("{} is broken, or no result file of toft bench "
                                             "--json: {}",
                                             path, e.what()));
    } catch (const std::ios_base::failure &) { // a folder, for one
        throw std::system_error(errno, std::generic_category(), "can't read " + path);
    }
    if (!document.is_object() || text_of(document, "schema") != result_schema)
        throw std::runtime_error(path + " is no result file of toft bench --json");
    const json version = document.value("schema_version", json());
    if (version != result_schema_version)
        throw std::runtime_error(
            fmt::format("{} has version {} of the result file, and this toft reads version {}: "
                        "measure again with one of the two",
                        path, version.dump(), result_schema_version));
    std::string fault = find_schema_fault(document, json::parse(result_schema_text()));
    bench_result result;
    try {
        document.erase("schema");
        document.erase("schema_version");
        if (fault.empty()) document.get_to(result);
        if (fault.empty()) fault = find_unmeasured_figure(result);
    } catch (const json::exception &e) { // a number that its type can't hold, for one
        fault = e.what();
    }
    if (!fault.empty()) throw std::runtime_error(fmt::format("{} is broken: {}", path, fault));
    return result;
}

} // namespace toft::lab
