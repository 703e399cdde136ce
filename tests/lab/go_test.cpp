// SPDX-License-Identifier: MIT
// The suite `go`: every piece of work and every setting runs, and says what Go's collector did.
#include "command.hpp"
#include "subject/registry.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

TEST_CASE(
    "suite go: everyday work in both ways, and the trees under each setting of the collector") {
    const auto &of = toft::lab::find_suite("go");
    const std::string path = scratch("go.json");
    const run_result r = run_toft("bench go --filter go/ --size 1 --repetitions 1 --json " + path);
    CAPTURE(r.err);
    if (r.status == 2) { // without Go there is no row, and that is told
        CHECK(contains(r.err, "nothing matches"));
        CHECK(
            contains(run_toft("bench --list").out, "Go, toft.Arena, Grow (not built: it needs Go"));
        return;
    }
    CHECK(r.status == 0);
    const auto rows = nlohmann::json::parse(contents_of(path))["suites"][0]["rows"];
    std::set<std::string> cases;
    for (const auto &row : rows) {
        CHECK(row["problem"] == "");
        CHECK(row["is_toft"] == contains(row["subject"].get<std::string>(), "toft."));
        CHECK(row["samples"][0]["figures"].contains("collections"));
        CHECK(row["counted"]["heap"]["allocations"] > 0);
        cases.insert(row["case"]);
    }
    CHECK(cases.size() == of.cases.size());
    CHECK(rows.size() == 2 * of.cases.size() + 2); // append and json have a third way
}
