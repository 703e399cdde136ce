// SPDX-License-Identifier: MIT
#include "result/schema_check.hpp"

#include <doctest/doctest.h>
#include <stdexcept>

using nlohmann::json;
using toft::lab::find_schema_fault;

namespace {

const json schema = json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["name"],
    "additionalProperties": false,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "description": "in small letters"},
        "kind": {"enum": ["one", "another"]},
        "version": {"const": 5},
        "counts": {"type": "array", "maxItems": 2, "items": {"type": "integer", "minimum": 1}},
        "part": {"anyOf": [{"$ref": "#/$defs/part"}, {"type": "null"}]},
        "figures": {"type": "object", "additionalProperties": {"type": ["number", "null"]}}
    },
    "$defs": {"part": {"type": "object", "properties": {"share": {"minimum": 0}}}}
})");

std::string fault_of(const char *document) {
    return find_schema_fault(json::parse(document), schema);
}

} // namespace

TEST_CASE("what keeps to the schema has no fault") {
    CHECK(fault_of(R"({"name": "a"})") == "");
    CHECK(fault_of(R"({"name": "a", "kind": "one", "version": 5, "counts": [1, 2], "part": null,
                       "figures": {"any": 1.5, "other": null}})") == "");
    CHECK(fault_of(R"({"name": "a", "part": {"share": 0}, "counts": []})") == "");
}

TEST_CASE("each rule of the schema finds its fault, and says its place") {
    CHECK(fault_of("[]") == R"(at /: [] isn't of type "object")");
    CHECK(fault_of("{}") == R"(at /: no "name")");
    CHECK(fault_of(R"({"name": "a", "b": 1})") == "at /: unknown key: b");
    CHECK(fault_of(R"({"name": 1})") == R"(at /name: 1 isn't of type "string")");
    CHECK(fault_of(R"({"name": "A"})") == R"(at /name: "A" isn't written as "^[a-z]+$")");
    CHECK(fault_of(R"({"name": "a", "kind": "no"})") ==
          R"(at /kind: "no" is none of ["one","another"])");
    CHECK(fault_of(R"({"name": "a", "version": 4})") == "at /version: 4 isn't 5");
    CHECK(fault_of(R"({"name": "a", "counts": [1, 0]})") == "at /counts/1: 0 is less than 1");
    CHECK(fault_of(R"({"name": "a", "counts": [1.5]})") ==
          R"(at /counts/0: 1.5 isn't of type "integer")");
    CHECK(fault_of(R"({"name": "a", "counts": [1, 2, 3]})") ==
          "at /counts: 3 elements are more than 2");
    CHECK(fault_of(R"({"name": "a", "part": {"share": -0.5}})") ==
          "at /part/share: -0.5 is less than 0");
    CHECK(fault_of(R"({"name": "a", "figures": {"any": "1"}})") ==
          R"(at /figures/any: "1" isn't of type ["number","null"])");
}

TEST_CASE("a word of a schema that nobody checks is an error, not a rule passed over") {
    CHECK_THROWS_AS(find_schema_fault(1, json::parse(R"({"maximum": 1})")), std::logic_error);
    CHECK_THROWS_AS(find_schema_fault(1, json::parse(R"({"type": "count"})")), std::logic_error);
}

TEST_CASE("the command carries the schema of its result files") {
    const json carried = json::parse(toft::lab::result_schema_text());
    CHECK(carried["properties"]["schema"]["const"] == "toft-bench");
}
